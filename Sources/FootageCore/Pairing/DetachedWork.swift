internal import FootageSystem

/// A way to run blocking work on a separate thread, for calls that are rare and may take long.
package enum DetachedWork {
  /// - Parameter name: the name of the thread; the kernel keeps 15 bytes of it.
  /// - Throws: `RobotError.system` if the system has no thread left.
  package static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Value
  ) async throws(RobotError) -> Value {
    let outcome = await withCheckedContinuation { (waiting: CheckedContinuation<Result<Value, RobotError>, Never>) in
      do throws(SystemError) {
        try Thread.start(name) { waiting.resume(returning: .success(body())) }.detach()
      } catch { waiting.resume(returning: .failure(.system(SystemFailure(error)))) }
    }
    return try outcome.get()
  }

  /// Runs blocking work that can fail with a `PairingError`.
  package static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () throws(PairingError) -> Value
  ) async throws(RobotError) -> Value {
    try await run(name) { Result(catching: body) }.mapError(RobotError.pairing).get()
  }

  /// Runs blocking work that can fail with an `IdentityFailure`.
  package static func run<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () throws(IdentityFailure) -> Value
  ) async throws(RobotError) -> Value {
    try await run(name) { Result(catching: body) }.mapError(RobotError.identity).get()
  }
}
