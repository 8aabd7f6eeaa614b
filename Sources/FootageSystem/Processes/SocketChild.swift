#if !canImport(Darwin)
internal import CLinux
internal import Glibc

/// A child process at the other end of a socket, which has nothing but what is handed to it there.
///
/// Ends with this object, and with this process however that ends: the child watches the socket.
package final class SocketChild: Sendable {
  private let socket: CInt
  private let process: ChildProcess

  /// Calls `posix_spawn`.
  ///
  /// - Parameters:
  ///   - program: a path; `/proc/self/exe` is this program, also when its file was replaced meanwhile.
  ///   - name: what the process is called in lists.
  ///   - argument: the only one.
  /// - Throws: `SystemError` where the program is not there, or the system has no room for a process.
  package init(program: String, name: String, argument: String) throws(SystemError) {
    var ends: [CInt] = [-1, -1]
    guard unsafe clinux_socket_pair(&ends) == 0 else { throw .current("socketpair") }
    defer { close(ends[1]) }
    var number: CInt = 0
    let error = unsafe clinux_spawn_with_socket(program, name, argument, ends[1], &number)
    guard error == 0 else {
      close(ends[0])
      throw SystemError("posix_spawn", Errno(rawValue: error))
    }
    socket = ends[0]
    process = ChildProcess(number: number)
  }

  deinit {
    _ = end(killing: true)
    close(socket)
  }

  /// Hands the child a message, and copies of open files.
  ///
  /// - Parameter descriptors: at most 4; they stay the caller's.
  /// - Throws: `SystemError`; the child may have ended.
  package func send(_ message: [UInt8], descriptors: [CInt]) throws(SystemError) {
    guard unsafe clinux_send_descriptors(socket, message, message.count, descriptors, CInt(descriptors.count)) == 0
    else { throw .current("sendmsg") }
  }

  /// Waits until the child has said something, or has ended.
  ///
  /// - Parameter milliseconds: nil waits for as long as it takes.
  /// - Returns: false where the time was over first.
  package func wait(milliseconds: Int?) -> Bool {
    guard let milliseconds else {
      while clinux_wait_readable(socket, -1) == 0 {}
      return true
    }
    let deadline = Clock.system.uptimeNanoseconds + Int64(milliseconds) * 1_000_000
    while true {
      let rest = max(0, (deadline - Clock.system.uptimeNanoseconds + 999_999) / 1_000_000)
      if clinux_wait_readable(socket, CInt(clamping: rest)) != 0 { return true }
      if Clock.system.uptimeNanoseconds >= deadline { return false }
    }
  }

  /// The child's next message, at most `capacity` bytes of it; nil where it has ended. Blocks.
  package func receive(capacity: Int) -> [UInt8]? {
    var count = 0
    var descriptors: CInt = 0
    // Safe because the call writes at most `capacity` bytes, and `count` says how many. No descriptor is taken.
    let message = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      count = unsafe clinux_receive_descriptors(socket, buffer.baseAddress, capacity, nil, 0, &descriptors)
      initialized = max(0, count)
    }
    return count > 0 ? message : nil
  }

  /// Waits for the child's end, and says what it was.
  ///
  /// - Parameter killing: whether to bring it about.
  package func end(killing: Bool) -> ChildProcess.End {
    if killing { process.kill() }
    return process.wait()
  }

  /// Has the child end now; whoever waits for it is told by its end. May be called from any thread.
  package func kill() { process.kill() }
}
#endif
