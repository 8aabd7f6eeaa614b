internal import CFootageLinux
internal import Glibc
internal import Synchronization

/// A child process at the other end of a socket, which can use only the files that are passed to it through that
/// socket.
///
/// It ends when this object is released, and when this process ends for any reason; the kernel ensures this
/// (`ParentSocket.confine`). A child has time limits for each message. This process and the kernel enforce them, so
/// that no code in the child can change them.
package final class SocketChild: Sendable {
  private let socket: CInt
  /// The end of a pipe that stays open for as long as the child may live.
  private let lifeline: CInt
  private let process: ChildProcess
  private let account = Mutex(Account())

  /// The time limits of a child for the last message that it was sent.
  package struct TimeLimits: Hashable, Sendable {
    /// The most processor time that it gets, in milliseconds, whatever it asks for.
    package let processorMilliseconds: Int64
    /// The time in milliseconds after which it is ended, unless it is computing or waiting for a disk at that moment.
    package let idleMilliseconds: Int64

    package init(processorMilliseconds: Int64, idleMilliseconds: Int64) {
      self.processorMilliseconds = processorMilliseconds
      self.idleMilliseconds = idleMilliseconds
    }
  }

  /// A limit that a child exceeded.
  package enum Overrun: Hashable, Sendable {
    /// It computed for longer than allowed, or asked for more time too often.
    case processorTime
    /// It did nothing for too long.
    case idleness
  }

  private struct Account {
    /// The processor time after which the child is ended, in nanoseconds since it began.
    var allowed = Int64.max
    /// The most that `allowed` can become when the child asks for more.
    var most = Int64.max
    /// The time from which the child may no longer be idle, in nanoseconds on the system's clock.
    var idleUntil = Int64.max
    /// The number of requests for time that it may still make.
    var requestsLeft = 0
    /// The limit for which it was ended; nil if it was not.
    var overrun: Overrun?
  }

  /// The time between two checks of a child that has to be busy, in milliseconds.
  private static let lookMilliseconds: Int64 = 1_000

  /// The most requests for time that a child may make for one message. More would only keep its parent busy.
  private static let mostRequests = 1_024
  /// The seconds that are added to a limit in the kernel, which counts in whole seconds.
  private static let spareSeconds: UInt64 = 2

  /// Starts the program. Calls `posix_spawn`.
  ///
  /// - Parameters:
  ///   - program: a path; `/proc/self/exe` is this program, even if its file was replaced in the meantime.
  ///   - name: the name of the process in process lists.
  ///   - argument: its only argument.
  /// - Throws: `SystemError` if the program does not exist, or the system has no room for a process.
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

  /// Sends the child a message, and copies of open files.
  ///
  /// - Parameters:
  ///   - descriptors: at most 4; the caller still has to close them.
  ///   - limits: a child that exceeds them is ended by the thread that waits for its answer.
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

  /// Waits until the child has sent something, or has ended. Ends a child that has used up its time.
  ///
  /// - Parameter milliseconds: nil waits for as long as it takes.
  /// - Returns: false if the time was over first.
  package func wait(milliseconds: Int?) -> Bool {
    let deadline = milliseconds.map { Clock.system.uptimeNanoseconds + Int64($0) * 1_000_000 }
    while true {
      // Read before the socket is checked, so that no request for more time is overlooked.
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
        // It may have answered a moment ago, and been idle since.
        if clinux_wait_readable(socket, 0) != 0 { continue }
        end(for: .idleness)
        return true
      }
      // It cannot use processor time faster than real time passes.
      var patience = (allowed - worked) / 1_000_000 + 1
      patience = min(patience, idleUntil > now ? (idleUntil - now) / 1_000_000 + 1 : Self.lookMilliseconds)
      if let deadline {
        guard deadline > now else { return false }
        patience = min(patience, (deadline - now) / 1_000_000 + 1)
      }
      _ = clinux_wait_readable(socket, CInt(clamping: patience))
    }
  }

  /// Reads the child's next message if it is a request for processor time, and grants or rejects the request.
  ///
  /// - Returns: false if it is another message, the request was rejected, or the child has ended.
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

  /// True if the kernel filters the child's system calls; nil if the system does not report it, or the child has ended.
  package var isFiltered: Bool? { process.isFiltered }

  /// The limit for which the child was ended; nil if it kept to all of them.
  package var overrun: Overrun? { account.withLock { $0.overrun } }

  /// Returns the child's next message, at most `capacity` bytes of it; nil if it has ended. Blocks.
  package func receive(capacity: Int) -> [UInt8]? {
    _ = wait(milliseconds: nil)
    guard overrun == nil, let message = nextMessage(capacity: capacity + 1) else { return nil }
    // No work was requested from it after this answer, so its processor time is limited again.
    let worked = UInt64(clamping: process.workedNanoseconds ?? 0)
    process.limitProcessorTime(seconds: worked / 1_000_000_000 + Self.spareSeconds)
    return Array(message.dropFirst())
  }

  private func nextMessage(capacity: Int) -> [UInt8]? {
    var count = 0
    var descriptors: CInt = 0
    // Safe because the call writes at most `capacity` bytes, and `count` is their number. No descriptor is accepted.
    let message = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, initialized in
      count = unsafe clinux_receive_descriptors(socket, buffer.baseAddress, capacity, nil, 0, &descriptors)
      initialized = max(0, count)
    }
    return count > 0 ? message : nil
  }

  /// Waits for the child's end, and returns how it ended.
  ///
  /// - Parameter killing: true to end it.
  package func end(killing: Bool) -> ChildProcess.End {
    if killing { process.kill() }
    return process.wait()
  }

  /// Ends the child immediately; a thread that waits for the child notices its end. May be called from any thread.
  package func kill() { process.kill() }
}

/// The messages of a child, which differ in their first byte: a request for processor time, or a reply.
enum ChildMessage {
  private static let timeRequestKind: UInt8 = 0
  private static let replyKind: UInt8 = 1

  /// The length of a request for processor time, in bytes.
  static let timeRequestLength = 9

  /// - Parameter total: the nanoseconds of processor time since the child began.
  static func encodedTimeRequest(_ total: UInt64) -> [UInt8] {
    [timeRequestKind] + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: total >> UInt64($0)) }
  }

  /// - Returns: the requested total in nanoseconds; nil if the bytes are another message.
  static func timeRequest(_ bytes: [UInt8]) -> Int64? {
    guard bytes.count == timeRequestLength, bytes.first == timeRequestKind else { return nil }
    return Int64(clamping: bytes.dropFirst().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  static func encodedReply(_ message: [UInt8]) -> [UInt8] { [replyKind] + message }
}
