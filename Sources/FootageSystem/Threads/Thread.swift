#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// A thread of the system, for work that cannot be a task because it waits in the kernel.
package struct Thread: Sendable {
  private let identity: UInt

  /// Starts `body` on a thread of its own, which receives no signals. Calls `pthread_create`.
  ///
  /// - Parameter name: shown by debuggers and `top -H`; 15 bytes of it are kept.
  /// - Throws: `SystemError` if the system has no thread left.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) -> Thread {
    // Safe because the thread takes over the reference that it gets, or it is released here.
    let start = unsafe Unmanaged.passRetained(ThreadStart(name: name, body: body))
    let (status, identity) = unsafe SystemCalls.createThread(start)
    guard status == 0 else {
      unsafe start.release()
      throw SystemError("pthread_create", Errno(rawValue: status))
    }
    return Thread(identity: identity)
  }

  /// Waits for the thread's end. Call either this or `detach`, once.
  package func join() { SystemCalls.join(identity) }

  /// Lets the thread end by itself. Call either this or `join`, once.
  package func detach() { SystemCalls.detach(identity) }

  /// The identity of the calling thread, which differs from that of all other living threads.
  package static var current: UInt { SystemCalls.currentThread }

  /// Makes the calling thread wait. Blocks.
  package static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}

/// The name and the work of a thread that is being started.
final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}
