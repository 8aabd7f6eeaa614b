#if !canImport(Darwin)
internal import CLinux
internal import Glibc
internal import Synchronization

/// A child process at the other end of a socket, which has nothing but what is handed to it there.
///
/// Ends with this object, and with this process however that ends: the kernel sees to it (`ParentSocket.confine`). A
/// child has a limit of processor time for each message. It is kept from here and by the kernel, where nothing that
/// runs in the child can change it.
package final class SocketChild: Sendable {
  private let socket: CInt
  /// The end of a pipe that is open for as long as the child may live.
  private let lifeline: CInt
  private let process: ChildProcess
  private let account = Mutex(Account())

  /// Processor time, in nanoseconds since the child began.
  private struct Account {
    /// What the child may have used before it is ended.
    var allowed = Int64.max
    /// What it is allowed at most, when it asks for more.
    var most = Int64.max
    /// How often it may still ask.
    var requestsLeft = 0
    /// True once it was ended, since it went on beyond that.
    var isOverdrawn = false
  }

  /// How often a child may ask for time over one message: more often it only keeps its parent busy.
  private static let mostRequests = 1_024
  /// What the kernel adds to a limit, in seconds, for it counts in whole ones.
  private static let spareSeconds: UInt64 = 2

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
    var pipe: [CInt] = [-1, -1]
    guard unsafe clinux_lifeline(&pipe) == 0 else {
      let error = SystemError.current("pipe2")
      close(ends[0])
      throw error
    }
    defer { close(pipe[0]) }
    var number: CInt = 0
    let error = unsafe clinux_spawn_with_socket(program, name, argument, ends[1], pipe[0], &number)
    guard error == 0 else {
      close(ends[0])
      close(pipe[1])
      throw SystemError("posix_spawn", Errno(rawValue: error))
    }
    socket = ends[0]
    lifeline = pipe[1]
    process = ChildProcess(number: number)
  }

  deinit {
    _ = end(killing: true)
    close(socket)
    close(lifeline)
  }

  /// Hands the child a message, and copies of open files.
  ///
  /// - Parameters:
  ///   - descriptors: at most 4; they stay the caller's.
  ///   - processorMilliseconds: the most processor time that the child gets for it, whatever it asks for. A child that
  ///     goes on beyond that is ended.
  /// - Throws: `SystemError`; the child may have ended.
  package func send(
    _ message: [UInt8], descriptors: [CInt], processorMilliseconds: Int64
  ) throws(SystemError) {
    let most = (process.workedNanoseconds ?? 0) + processorMilliseconds * 1_000_000
    account.withLock { $0 = Account(allowed: most, most: most, requestsLeft: Self.mostRequests) }
    process.limitProcessorTime(seconds: UInt64(clamping: most / 1_000_000_000) + Self.spareSeconds)
    guard unsafe clinux_send_descriptors(socket, message, message.count, descriptors, CInt(descriptors.count)) == 0
    else { throw .current("sendmsg") }
  }

  /// Waits until the child has said something, or has ended. Ends one that has used up its processor time.
  ///
  /// - Parameter milliseconds: nil waits for as long as it takes.
  /// - Returns: false where the time was over first.
  package func wait(milliseconds: Int?) -> Bool {
    let deadline = milliseconds.map { Clock.system.uptimeNanoseconds + Int64($0) * 1_000_000 }
    while true {
      // Asked before the socket is, so that no request for more time is overlooked.
      let worked = process.workedNanoseconds ?? 0
      if clinux_wait_readable(socket, 0) != 0 {
        guard takeTimeRequest() else { return true }
        continue
      }
      let left = account.withLock { $0.allowed } - worked
      guard left > 0 else {
        endOverdrawn()
        return true
      }
      // It cannot use processor time faster than time goes by.
      var patience = left / 1_000_000 + 1
      if let deadline {
        let rest = deadline - Clock.system.uptimeNanoseconds
        guard rest > 0 else { return false }
        patience = min(patience, rest / 1_000_000 + 1)
      }
      _ = clinux_wait_readable(socket, CInt(clamping: patience))
    }
  }

  /// Takes the child's next message where that asks for processor time.
  ///
  /// - Returns: false where it is another message, or where the child has ended.
  private func takeTimeRequest() -> Bool {
    var bytes = [UInt8](repeating: 0, count: ChildMessage.timeRequestLength)
    // Safe because the call writes at most the array's count.
    let count = unsafe clinux_peek(socket, &bytes, bytes.count)
    guard count == bytes.count, let total = ChildMessage.timeRequest(bytes) else { return false }
    _ = nextMessage(capacity: bytes.count)
    let isGranted = account.withLock { account in
      guard account.requestsLeft > 0 else { return false }
      account.requestsLeft -= 1
      account.allowed = min(total, account.most)
      return true
    }
    if !isGranted { endOverdrawn() }
    return isGranted
  }

  private func endOverdrawn() {
    account.withLock { $0.isOverdrawn = true }
    process.kill()
  }

  /// Whether the child was ended since it used more processor time than it had.
  package var isOutOfTime: Bool { account.withLock { $0.isOverdrawn } }

  /// The child's next message, at most `capacity` bytes of it; nil where it has ended. Blocks.
  package func receive(capacity: Int) -> [UInt8]? {
    _ = wait(milliseconds: nil)
    guard !isOutOfTime, let message = nextMessage(capacity: capacity + 1) else { return nil }
    // What it does from now on nobody has asked it for.
    let worked = UInt64(clamping: process.workedNanoseconds ?? 0)
    process.limitProcessorTime(seconds: worked / 1_000_000_000 + Self.spareSeconds)
    return Array(message.dropFirst())
  }

  private func nextMessage(capacity: Int) -> [UInt8]? {
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

/// The messages of a child, by their first byte: a request for processor time, or what it was asked for.
enum ChildMessage {
  private static let timeRequestKind: UInt8 = 0
  private static let replyKind: UInt8 = 1

  /// In bytes.
  static let timeRequestLength = 9

  /// - Parameter total: nanoseconds of processor time since the child began.
  static func encodedTimeRequest(_ total: UInt64) -> [UInt8] {
    [timeRequestKind] + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: total >> UInt64($0)) }
  }

  /// - Returns: what `encodedTimeRequest` was given; nil where the bytes are another message.
  static func timeRequest(_ bytes: [UInt8]) -> Int64? {
    guard bytes.count == timeRequestLength, bytes.first == timeRequestKind else { return nil }
    return Int64(clamping: bytes.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  static func encodedReply(_ message: [UInt8]) -> [UInt8] { [replyKind] + message }
}
#endif
