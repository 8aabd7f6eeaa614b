import Testing

/// Fails the test where something does not hold: for what is asked ten thousand times. `#expect` takes its expression
/// apart each time, which costs some 30 µs.
package func check(
  _ holds: Bool, _ what: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) {
  if !holds { Issue.record("\(what())", sourceLocation: sourceLocation) }
}
