package import FootageServing
internal import Synchronization
internal import FootageSystem

/// The threads that all connections of a process share: one loop, and two threads for name look-ups.
///
/// They live as long as the process. They cannot be ended safely, because a library does not know which code still uses
/// them.
package final class ClientRuntime: Sendable {
  package let loop: EventLoop
  package let resolver: HostResolver

  private static let current = Mutex<ClientRuntime?>(nil)

  private init() throws(NetworkingError) {
    loop = try EventLoop(receivedByteCount: BufferSize.turn)
    do throws(SystemError) { resolver = .system(try BlockingPool(threadCount: 2)) } catch { throw .system(error) }
    try loop.start()
  }

  /// Returns the runtime. The first call starts the threads.
  package static func shared() throws(NetworkingError) -> ClientRuntime {
    try current.withLock { (current) throws(NetworkingError) -> ClientRuntime in
      if let runtime = current { return runtime }
      let runtime = try ClientRuntime()
      current = runtime
      return runtime
    }
  }
}
