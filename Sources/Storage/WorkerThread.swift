/// A thread of one's own, for work that blocks.

internal import CLinux
internal import Glibc

@safe
package final class WorkerThread: Sendable {
  private let thread: pthread_t

  private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Starts the thread. It is handed no signals. Calls `pthread_create`.
  ///
  /// - Parameter name: shown by debuggers and `top`; the kernel keeps 15 bytes of it.
  /// - Throws: `StorageError` where the system has no thread left.
  package init(name: String, _ body: @escaping @Sendable () -> Void) throws(StorageError) {
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    var thread = pthread_t()
    // Safe because the thread takes over the reference that was retained for it, or it is released below.
    let result = unsafe clinux_create_thread(
      &thread,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let start = unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
        unsafe clinux_name_thread(start.name)
        start.body()
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      unsafe start.release()
      throw StorageError("start", "the thread \(name)", .system(SystemErrorNumber(rawValue: result)))
    }
    self.thread = thread
  }

  /// Waits for the thread to end. To be called once, or `detach` instead.
  package func join() { pthread_join(thread, nil) }

  /// Lets the thread end by itself. To be called once, or `join` instead.
  package func detach() { pthread_detach(thread) }
}
