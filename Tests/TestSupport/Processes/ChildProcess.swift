import Foundation
import Synchronization

/// A process in a process group of its own, with only its standard streams as descriptors and with no signal blocked.
///
/// It is started with `posix_spawn`. Foundation's `Process` enumerates its open descriptors first and reads beyond what
/// `readdir` has returned, so that one start in thousands crashes (swiftlang/swift-corelibs-foundation#5472).
final class ChildProcess: Sendable {
  let processIdentifier: Int32
  private let status = Mutex<Int32?>(nil)
  private let end = DispatchSemaphore(value: 0)

  /// - Parameters:
  ///   - path: the path of the program.
  ///   - streams: the descriptors for standard input, output and error, which stay open in this process.
  init(_ path: String, _ arguments: [String], environment: [String: String], streams: [Int32]) throws {
    #if os(Linux)
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    #else
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (stream, descriptor) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(stream))
    }
    var flags = Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK)
    #if os(Linux)
    try Self.addCloseFrom(&actions, Int32(streams.count))
    #else
    flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
    #endif
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))

    var words = ([path] + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var identifier: pid_t = 0
    let failure = posix_spawn(&identifier, path, &actions, &attributes, &words, &variables)
    guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EINVAL) }
    processIdentifier = identifier
    Thread.detachNewThread { self.waitForProcess() }
  }

  #if os(Linux)
  /// Calls `posix_spawn_file_actions_addclosefrom_np`, which glibc has since 2.34 and Swift does not import.
  private static func addCloseFrom(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ first: Int32
  ) throws {
    typealias Function = @convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32
    guard let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") else { throw POSIXError(.ENOSYS) }
    _ = unsafeBitCast(symbol, to: Function.self)(actions, first)
  }
  #endif

  private func waitForProcess() {
    var information = siginfo_t()
    // The process stays a zombie meanwhile, so that no other process gets its number.
    while waitid(P_PID, id_t(processIdentifier), &information, WEXITED | WNOWAIT) == -1 && errno == EINTR {}
    status.withLock { status in
      var raw: Int32 = 0
      while waitpid(processIdentifier, &raw, 0) == -1 && errno == EINTR {}
      let signal = raw & 0x7F
      status = signal == 0 ? raw >> 8 & 0xFF : 128 + signal
    }
    end.signal()
  }

  var isRunning: Bool { status.withLock { $0 == nil } }

  /// Sends a signal to the process if it has not ended.
  func signal(_ number: Int32) {
    status.withLock { status in
      if status == nil { kill(processIdentifier, number) }
    }
  }

  /// Waits until the process has ended.
  ///
  /// - Returns: the exit status, or 128 and the signal's number.
  func exitStatus() -> Int32 {
    while true {
      if let status = exitStatus(until: .distantFuture) { return status }
    }
  }

  /// Waits for the end of the process; returns nil if it has not ended by the given time.
  func exitStatus(until time: DispatchTime) -> Int32? {
    guard end.wait(timeout: time) == .success else { return nil }
    // Lets the next waiting thread pass, too.
    end.signal()
    return status.withLock { $0 }
  }
}
