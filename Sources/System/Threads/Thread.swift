internal import CLinux
internal import Glibc

/// A thread of the system, for what cannot be a task: it waits in the kernel.
@safe
package struct Thread: Sendable {
  private let identity: pthread_t

  /// Starts `body` on a thread of its own, which is handed no signals. Calls `pthread_create`.
  ///
  /// - Parameter name: shown by debuggers and `top -H`; 15 bytes of it are kept.
  /// - Throws: `SystemError` where the system has no thread left.
  package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) -> Thread {
    var identity = pthread_t()
    // Safe because the thread takes over the reference that is handed to it, or it is released here.
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    let status = unsafe clinux_create_thread(
      &identity,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        unsafe clinux_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    guard status == 0 else {
      unsafe start.release()
      throw SystemError("pthread_create", Errno(rawValue: status))
    }
    return Thread(identity: identity)
  }

  /// Waits for its end. To be called once, or `detach` instead.
  package func join() { pthread_join(identity, nil) }

  /// Lets it end by itself. To be called once, or `join` instead.
  package func detach() { pthread_detach(identity) }

  /// Tells the calling thread from all others that live.
  package static var current: UInt { UInt(pthread_self()) }

  /// Has the calling thread wait. Blocks.
  package static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
