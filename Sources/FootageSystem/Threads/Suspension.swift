/// A task that stands still until somebody resumes it.
///
/// Whoever is given one resumes it exactly once; that is what makes the unchecked continuation inside safe.
@safe
package struct Suspension<Value: Sendable>: Sendable {
  private let continuation: UnsafeContinuation<Value, Never>

  private init(_ continuation: UnsafeContinuation<Value, Never>) { unsafe self.continuation = continuation }

  /// Suspends the calling task and hands it to `body`, on the same thread.
  package static func suspend(_ body: (Suspension<Value>) -> Void) async -> Value {
    await unsafe withUnsafeContinuation { body(unsafe Suspension($0)) }
  }

  package func resume(returning value: consuming sending Value) { unsafe continuation.resume(returning: value) }
}

extension Suspension<Void> {
  package func resume() { resume(returning: ()) }
}
