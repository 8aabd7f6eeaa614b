/// The value of an expression, whose error becomes another one: for the border of a module, where what its calls throw
/// is wrapped once.
///
/// - Parameter transform: a case of the other error, often.
package func mapError<Value: ~Copyable, Inner: Error, Outer: Error>(
  _ transform: (Inner) -> Outer, _ value: @autoclosure () throws(Inner) -> Value
) throws(Outer) -> Value {
  do throws(Inner) { return try value() } catch { throw transform(error) }
}
