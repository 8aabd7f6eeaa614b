#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A thread of the system, for what cannot be a task: it waits in the kernel.
package struct Thread: Sendable {
  private let identity: UInt

  /// Starts `body` on a thread of its own, which is handed no signals. Calls `pthread_create`.
  ///
  /// - Parameter name: shown by debuggers and `top -H`; 15 bytes of it are kept.
  /// - Throws: `SystemError` where the system has no thread left.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) -> Thread {
    // Safe because the thread takes over the reference that is handed to it, or it is released here.
    let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
    let (status, identity) = unsafe SystemCalls.createThread(start)
    guard status == 0 else {
      unsafe start.release()
      throw SystemError("pthread_create", Errno(rawValue: status))
    }
    return Thread(identity: identity)
  }

  /// Waits for its end. To be called once, or `detach` instead.
  package func join() { SystemCalls.join(identity) }

  /// Lets it end by itself. To be called once, or `join` instead.
  package func detach() { SystemCalls.detach(identity) }

  /// Tells the calling thread from all others that live.
  package static var current: UInt { SystemCalls.currentThread }

  /// Has the calling thread wait. Blocks.
  package static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}

/// What a thread begins with.
final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
