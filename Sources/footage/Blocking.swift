/// Runs what is asynchronous for a command, which is not.

internal import Networking
internal import Synchronization
internal import System

enum Blocking {
  /// Returns when `body` has.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () async -> Result) -> Result {
    let box = Box<Result>()
    let semaphore = Semaphore()
    // Owned by this call, which waits for its end; detached, since the main actor's thread stands still here.
    Task.detached {
      let result = await body()
      box.result.withLock { $0 = result }
      semaphore.signal()
    }
    while true {
      semaphore.wait()
      if let result = box.result.withLock({ $0 }) { return result }
    }
  }

  private final class Box<Result: Sendable>: Sendable {
    let result = Mutex<Result?>(nil)
  }
}
