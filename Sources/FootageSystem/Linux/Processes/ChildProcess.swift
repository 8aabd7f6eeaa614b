internal import CFootageLinux
internal import Glibc
internal import Synchronization

/// A program that this process has started. No signal is sent to it once its number may belong to another process.
package final class ChildProcess: Sendable {
  private let number: CInt
  /// The way in which the child ended; nil until that is known. A thread that waits for the child holds the lock.
  private let ended = Mutex<End?>(nil)
  private let isReaped = Mutex(false)

  /// The way in which a child ended.
  package enum End: Hashable, Sendable {
    case exited(code: CInt)
    case signalled(CInt)
    /// The system does not report how it ended.
    case unknown
  }

  /// - Parameter number: the number of a child that was just started.
  init(number: CInt) { self.number = number }

  /// Runs a shell script with an argument, `$1`. Its standard output is the standard error of this process. Signals
  /// that are blocked in this process are not blocked in the script. Calls `posix_spawn`.
  ///
  /// - Parameter name: the name by which the shell calls itself, `$0`.
  /// - Throws: `SystemError` if the system has no room for a process.
  package static func shell(_ script: String, name: String, argument: String) throws(SystemError) -> ChildProcess {
    try shell(script, name: name, argument: argument, output: 2)
  }

  /// Returns what a shell script writes to standard output. Blocks until the script has ended.
  ///
  /// - Parameters:
  ///   - argument: `$1`.
  ///   - limit: the most bytes to return; the rest is dropped.
  /// - Throws: `SystemError` if the system has no room for a process or for its output.
  package static func output(of script: String, argument: String, limit: Int) throws(SystemError) -> [UInt8] {
    let output = try memoryFile()
    let child = try shell("{ \(script); } | head -c \(limit)", name: "sh", argument: argument, output: output.number)
    _ = child.wait()
    var bytes = [UInt8](repeating: 0, count: limit)
    var count = 0
    do throws(Errno) {
      // Safe because the buffer belongs to the array.
      var span = bytes.mutableSpan
      count = try unsafe span.withUnsafeMutableBytes { (buffer) throws(Errno) in
        unsafe try output.read(at: 0, into: buffer)
      }
    } catch { throw SystemError("pread", error) }
    return Array(bytes.prefix(count))
  }

  private static func memoryFile() throws(SystemError) -> FileDescriptor {
    do throws(Errno) { return try .memory(named: "footage-output") } catch { throw SystemError("memfd_create", error) }
  }

  /// - Parameter output: the descriptor that becomes the script's standard output.
  private static func shell(
    _ script: String, name: String, argument: String, output: CInt
  ) throws(SystemError) -> ChildProcess {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    var noSignals = sigset_t()
    // Safe because all of them outlive the call, and are freed afterwards.
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawnattr_init(&attributes)
    unsafe sigemptyset(&noSignals)
    unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    let shell = "/bin/sh"
    let words = [shell, "-c", script, name, argument]
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let status = unsafe posix_spawn(&child, shell, &actions, &attributes, &arguments, environ)
    guard status == 0 else { throw SystemError("posix_spawn", Errno(rawValue: status)) }
    return ChildProcess(number: child)
  }

  /// Waits for the child's end, and returns how it ended. Blocks.
  package func wait() -> End {
    ended.withLock { ended in
      if let ended { return ended }
      var information = unsafe siginfo_t()
      // Safe because it outlives the call. Until the child is reaped, no other process gets its number.
      while unsafe waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
      let status = isReaped.withLock { isReaped in
        isReaped = true
        return clinux_wait_for_child(number)
      }
      let end: End = status == .min ? .unknown : status < 0 ? .signalled(-status) : .exited(code: status)
      ended = end
      return end
    }
  }

  /// Asks the child to end.
  package func terminate() { send(SIGTERM) }

  /// Ends the child immediately.
  package func kill() { send(SIGKILL) }

  /// The processor time that the child has used since it began; nil if it has ended, or the system does not report it.
  var workedNanoseconds: Int64? {
    isReaped.withLock { isReaped in
      let time = isReaped ? -1 : clinux_processor_time(number)
      return time < 0 ? nil : time
    }
  }

  /// True if the child computes, or waits for a disk; false if it waits for something else, was stopped, or has ended
  /// (man 5 proc, `/proc/pid/stat`).
  var isBusy: Bool {
    let bytes = told(in: "stat", limit: 256)
    // The field before it is the name, which may contain any character and is in parentheses.
    guard let name = bytes.lastIndex(of: UInt8(ascii: ")")), name + 2 < bytes.count else { return false }
    return bytes[name + 2] == UInt8(ascii: "R") || bytes[name + 2] == UInt8(ascii: "D")
  }

  /// True if the kernel filters the child's system calls; nil if the child has ended, or the system does not report it
  /// (man 5 proc, `/proc/pid/status`).
  var isFiltered: Bool? {
    let lines = told(in: "status", limit: 4_096).split(separator: UInt8(ascii: "\n"))
    // A kernel without filters has no such line.
    guard !lines.isEmpty else { return nil }
    return lines.contains(where: Array("Seccomp:\t2".utf8).elementsEqual)
  }

  /// Returns the beginning of a file in the child's `/proc` folder; empty if there is nothing to read.
  private func told(in file: String, limit: Int) -> [UInt8] {
    isReaped.withLock { isReaped in
      guard !isReaped else { return [] }
      let descriptor = unsafe clinux_openat(AT_FDCWD, "/proc/\(number)/\(file)", O_RDONLY, 0)
      guard descriptor >= 0 else { return [] }
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: limit)
      // Safe because the kernel writes at most the array's count.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      return Array(bytes.prefix(max(0, count)))
    }
  }

  /// Makes the kernel end the child once it has used this much processor time in total.
  func limitProcessorTime(seconds: UInt64) {
    // If the kernel refuses, only the parent enforces the limit.
    isReaped.withLock { if !$0 { _ = clinux_limit_processor_time(number, seconds) } }
  }

  private func send(_ signal: CInt) {
    isReaped.withLock { if !$0 { _ = Glibc.kill(number, signal) } }
  }
}

extension ChildProcess.End: CustomStringConvertible {
  package var description: String {
    switch self {
    case .exited(let code): "it exited with code \(code)"
    case .signalled(let signal): "it was killed by signal \(signal) (\(Self.words(for: signal)))"
    case .unknown: "it ended"
    }
  }

  /// True if the process caused its own end: by a trap, for lack of memory, or by exceeding one of its limits.
  package var isOwnDoing: Bool {
    guard case .signalled(let signal) = self else { return false }
    return [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGPROF, SIGXCPU, SIGXFSZ].contains(signal)
  }

  /// True if it ran out of processor time.
  package var isOutOfTime: Bool { self == .signalled(SIGPROF) || self == .signalled(SIGXCPU) }

  private static func words(for signal: CInt) -> String {
    // Safe because the string is a constant in the C library that ends with a zero.
    guard let words = unsafe strsignal(signal) else { return "unknown" }
    return unsafe String(cString: words)
  }
}
