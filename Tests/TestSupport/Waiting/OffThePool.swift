/// Tests that block while others are asynchronous. Each gets a thread of its own, so that it does not occupy the
/// threads that Swift shares among all tasks, of which there are as many as cores.

import Foundation
import Testing

/// A trait that runs each test of a suite on a thread of its own: `@Suite(.offThePool)`.
public struct OffThePool: SuiteTrait, TestTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ThreadForEachJob.shared) { try await function() }
  }
}

extension Trait where Self == OffThePool {
  public static var offThePool: Self { OffThePool() }
}

private final class ThreadForEachJob: TaskExecutor {
  static let shared = ThreadForEachJob()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedTaskExecutor()
    Thread.detachNewThread { job.runSynchronously(on: executor) }
  }
}

/// Runs a blocking closure on a thread of its own.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
