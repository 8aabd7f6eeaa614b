/// What a test takes for granted.

/// The value; the tests end here where there is none, since nothing they say would mean anything.
package func required<Value>(_ value: Value?, _ what: StaticString = "a value that tests are built on") -> Value {
  guard let value else { preconditionFailure("\(what) is missing") }
  return value
}
