/// A thread of the system, for what cannot be a task: it waits in the kernel.

internal import CLinux
internal import Glibc

package struct Thread: Sendable {
  private let identity: pthread_t

  /// Starts `body` on a thread of its own, which is handed no signals.
  ///
  /// - Parameter name: what `top -H` shows, 15 bytes at most.
  package static func start(_ name: StaticString, _ body: @escaping @Sendable () -> Void) throws(NetworkingError)
    -> Thread
  {
    var identity = pthread_t()
    // Safe because the thread takes over the reference that is handed to it, or it is released here.
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    let status = unsafe clinux_create_thread(
      &identity,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        unsafe clinux_name_thread(start.name.description)
        start.body()
        return nil
      }, start.toOpaque())
    guard status == 0 else {
      unsafe start.release()
      throw .system(call: "pthread_create", errorNumber: status)
    }
    return Thread(identity: identity)
  }

  /// Waits for its end. Once.
  package func join() { pthread_join(identity, nil) }

  private final class Start: Sendable {
    let name: StaticString
    let body: @Sendable () -> Void

    init(name: StaticString, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }
}
