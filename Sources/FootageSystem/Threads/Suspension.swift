/// A task that is suspended until it is resumed.
///
/// The code that receives one resumes it exactly once; that makes the unchecked continuation inside safe.
@safe
package struct Suspension<Value: Sendable>: Sendable {
  private let continuation: UnsafeContinuation<Value, Never>

  private init(_ continuation: UnsafeContinuation<Value, Never>) { unsafe self.continuation = continuation }

  /// Suspends the calling task, and passes it to `body` on the same thread.
  package static func suspend(_ body: (Suspension<Value>) -> Void) async -> Value {
    await unsafe withUnsafeContinuation { body(unsafe Suspension($0)) }
  }

  package func resume(returning value: consuming sending Value) { unsafe continuation.resume(returning: value) }
}

extension Suspension<Void> {
  package func resume() { resume(returning: ()) }
}
