/// Returns the value of an expression, and replaces an error it throws by another one. A module uses this at its
/// boundary, to wrap the errors of its calls in one place.
///
/// - Parameter transform: creates the error that is thrown instead. It is often a case of the error's type.
package func mapError<Value: ~Copyable, Inner: Error, Outer: Error>(
  _ transform: (Inner) -> Outer, _ value: @autoclosure () throws(Inner) -> Value
) throws(Outer) -> Value {
  do throws(Inner) { return try value() } catch { throw transform(error) }
}
