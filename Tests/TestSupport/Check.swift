import Testing

/// Fails the test if a condition does not hold, for conditions that are checked ten thousand times. `#expect` takes its
/// expression apart each time, which costs about 30 µs.
package func check(
  _ holds: Bool, _ what: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
) {
  if !holds { Issue.record("\(what())", sourceLocation: sourceLocation) }
}
