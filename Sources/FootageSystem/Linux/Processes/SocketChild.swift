internal import CFootageLinux
internal import Glibc
internal import Synchronization

/// A child process at the other end of a socket, which has nothing but what is handed to it there.
///
/// Ends with this object, and with this process however that ends: the kernel sees to it (`ParentSocket.confine`). A
/// child has limits of time for each message. They are kept from here and by the kernel, where nothing that runs in the
/// child can change them.
package final class SocketChild: Sendable {
  private let socket: CInt
  /// The end of a pipe that is open for as long as the child may live.
  private let lifeline: CInt
  private let process: ChildProcess
  private let account = Mutex(Account())

  /// The limits of a child, for the message that it was sent last.
  package struct TimeLimits: Hashable, Sendable {
    /// The most processor time that it gets, in milliseconds, whatever it asks for.
    package let processorMilliseconds: Int64
    /// After so many milliseconds it is ended unless it computes, or waits for a disk, just then.
    package let idleMilliseconds: Int64

    package init(processorMilliseconds: Int64, idleMilliseconds: Int64) {
      self.processorMilliseconds = processorMilliseconds
      self.idleMilliseconds = idleMilliseconds
    }
  }

  /// A limit beyond which a child went on.
  package enum Overrun: Hashable, Sendable {
    /// It computed for longer than it had been given, or asked for more again and again.
    case processorTime
    /// It did nothing for too long.
    case idleness
  }

  private struct Account {
    /// What the child may have used before it is ended, in nanoseconds of processor time since it began.
    var allowed = Int64.max
    /// What it is allowed at most, when it asks for more.
    var most = Int64.max
    /// When it may no longer do nothing, on the system's clock.
    var idleUntil = Int64.max
    /// How often it may still ask.
    var requestsLeft = 0
    /// The limit for which it was ended.
    var overrun: Overrun?
  }

  /// How often a child is looked at that has to be busy, in milliseconds.
  private static let lookMilliseconds: Int64 = 1_000

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
  ///   - limits: a child that goes on beyond them is ended, by whoever waits for its answer.
  /// - Throws: `SystemError`; the child may have ended.
  package func send(_ message: [UInt8], descriptors: [CInt], limits: TimeLimits) throws(SystemError) {
    let most = (process.workedNanoseconds ?? 0) + limits.processorMilliseconds * 1_000_000
    let idleUntil = Clock.system.uptimeNanoseconds + limits.idleMilliseconds * 1_000_000
    account.withLock {
      $0 = Account(allowed: most, most: most, idleUntil: idleUntil, requestsLeft: Self.mostRequests)
    }
    process.limitProcessorTime(seconds: UInt64(clamping: most / 1_000_000_000) + Self.spareSeconds)
    guard unsafe clinux_send_descriptors(socket, message, message.count, descriptors, CInt(descriptors.count)) == 0
    else { throw .current("sendmsg") }
  }

  /// Waits until the child has said something, or has ended. Ends one that has used up its time.
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
      let now = Clock.system.uptimeNanoseconds
      let (allowed, idleUntil) = account.withLock { ($0.allowed, $0.idleUntil) }
      guard allowed > worked else {
        end(for: .processorTime)
        return true
      }
      if idleUntil <= now, !process.isBusy {
        // It may have answered just now, and do nothing since.
        if clinux_wait_readable(socket, 0) != 0 { continue }
        end(for: .idleness)
        return true
      }
      // It cannot use processor time faster than time goes by.
      var patience = (allowed - worked) / 1_000_000 + 1
      patience = min(patience, idleUntil > now ? (idleUntil - now) / 1_000_000 + 1 : Self.lookMilliseconds)
      if let deadline {
        guard deadline > now else { return false }
        patience = min(patience, (deadline - now) / 1_000_000 + 1)
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
    if !isGranted { end(for: .processorTime) }
    return isGranted
  }

  private func end(for overrun: Overrun) {
    account.withLock { $0.overrun = $0.overrun ?? overrun }
    process.kill()
  }

  /// True if the kernel filters what the child may call; nil where it does not tell, or the child has ended.
  package var isFiltered: Bool? { process.isFiltered }

  /// The limit for which the child was ended; nil where it kept to all of them.
  package var overrun: Overrun? { account.withLock { $0.overrun } }

  /// The child's next message, at most `capacity` bytes of it; nil where it has ended. Blocks.
  package func receive(capacity: Int) -> [UInt8]? {
    _ = wait(milliseconds: nil)
    guard overrun == nil, let message = nextMessage(capacity: capacity + 1) else { return nil }
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
