/// The assumptions of a test.

/// Returns the value. Without one, the tests end here, because their results would mean nothing.
package func required<Value>(_ value: Value?, _ what: StaticString = "a value that tests are built on") -> Value {
  guard let value else { preconditionFailure("\(what) is missing") }
  return value
}
