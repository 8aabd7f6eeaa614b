/// A child process at the other end of a socket, which has nothing but what is handed to it there.

internal import CLinux
internal import Glibc
internal import Synchronization

/// Ends with this object, and with this process however that ends: the child watches the socket.
package final class SocketChild: Sendable {
  /// How a child ended.
  package enum End: Hashable, Sendable {
    case exited(code: CInt)
    case signalled(CInt)
    /// The system does not tell.
    case unknown
  }

  private let socket: CInt
  private let process: CInt
  private let ended = Mutex<End?>(nil)

  /// Calls `posix_spawn`.
  ///
  /// - Parameters:
  ///   - program: a path; `/proc/self/exe` is this program, also when its file was replaced meanwhile.
  ///   - name: what the process is called in lists.
  ///   - argument: the only one.
  /// - Throws: `StorageError` where the program is not there, or the system has no room for a process.
  package init(program: String, name: String, argument: String) throws(StorageError) {
    var ends: [CInt] = [-1, -1]
    guard unsafe clinux_socket_pair(&ends) == 0 else { throw .system("connect", "a child process") }
    defer { close(ends[1]) }
    var process: CInt = 0
    let error = unsafe clinux_spawn_with_socket(program, name, argument, ends[1], &process)
    guard error == 0 else {
      close(ends[0])
      throw StorageError("start", program, .system(SystemErrorNumber(rawValue: error)))
    }
    socket = ends[0]
    self.process = process
  }

  deinit {
    _ = end(killing: true)
    close(socket)
  }

  /// Hands the child a message, a file to read, and one to write its answer to.
  ///
  /// - Throws: `StorageError`; the child may have ended.
  package func send(_ message: [UInt8], reading file: RandomAccessFile, answeringIn answer: MemoryFile)
    throws(StorageError)
  {
    let descriptors = [file.descriptor, answer.descriptor]
    guard unsafe clinux_send_descriptors(socket, message, message.count, descriptors, 2) == 0 else {
      throw .system("send to", "a child process")
    }
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
    let deadline = SystemClock.monotonicNanoseconds + Int64(milliseconds) * 1_000_000
    while true {
      let rest = max(0, (deadline - SystemClock.monotonicNanoseconds + 999_999) / 1_000_000)
      if clinux_wait_readable(socket, CInt(clamping: rest)) != 0 { return true }
      if SystemClock.monotonicNanoseconds >= deadline { return false }
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
  package func end(killing: Bool) -> End {
    ended.withLock { ended in
      if let ended { return ended }
      if killing { clinux_kill_child(process) }
      let status = clinux_wait_for_child(process)
      let end: End = status == .min ? .unknown : status < 0 ? .signalled(-status) : .exited(code: status)
      ended = end
      return end
    }
  }

  /// Has the child end now; whoever waits for it is told by its end. May be called from any thread.
  package func kill() {
    ended.withLock { if $0 == nil { clinux_kill_child(process) } }
  }
}

extension SocketChild.End: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exited(let code): "it ended with code \(code)"
    case .signalled(let signal): "it was ended by signal \(signal) (\(Self.words(for: signal)))"
    case .unknown: "it ended"
    }
  }

  /// Whether the process brought its end upon itself: by a trap, for want of memory, or beyond a limit of its own.
  package var isOwnDoing: Bool {
    guard case .signalled(let signal) = self else { return false }
    return [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPROF, SIGXCPU, SIGXFSZ].contains(signal)
  }

  /// Whether it was out of processor time.
  package var isOutOfTime: Bool { self == .signalled(SIGPROF) || self == .signalled(SIGXCPU) }

  private static func words(for signal: CInt) -> String {
    // Safe because the string is a constant of the C library, ended by a zero.
    guard let words = unsafe strsignal(signal) else { return "unknown" }
    return unsafe String(cString: words)
  }
}
