/// The player that `footage play --player` starts, and waits for.

internal import Glibc
internal import Networking
internal import Synchronization

enum PlayerError: Error, CustomStringConvertible {
  case start(String, errorNumber: CInt)
  case system(String)

  var description: String {
    switch self {
    case .start(let command, let number): "the player '\(command)' cannot be started: error \(number)"
    case .system(let reason): reason
    }
  }
}

/// How a player ended.
struct PlayerEnding: Sendable {
  /// As `waitpid` tells it.
  let status: CInt

  /// Nil where it ended in good order.
  var problem: String? {
    let signal = status & 0x7F
    if signal != 0 { return "was ended by signal \(signal)" }
    switch (status >> 8) & 0xFF {
    case 0: return nil
    case 127: return "was not found: install it, or name another one"
    case let code: return "ended with \(code)"
    }
  }
}

enum PlayerProcess {
  /// Runs `COMMAND URL` to its end. When the task is cancelled the player is asked to end, and waited for.
  ///
  /// - Parameter command: words for the shell: options may be among them.
  static func run(_ command: String, _ url: String) async throws(PlayerError) -> PlayerEnding {
    let running = RunningChild(try start(command, url))
    let ending = Mutex<CheckedContinuation<CInt, Never>?>(nil)
    let isOver = Semaphore()
    do throws(NetworkingError) {
      _ = try Thread.start("footage-player") {
        let status = running.wait()
        isOver.wait()
        ending.withLock { $0 }?.resume(returning: status)
      }
    } catch {
      running.end()
      throw .system(error.description)
    }
    let status = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        ending.withLock { $0 = continuation }
        isOver.signal()
      }
    } onCancel: {
      running.end()
    }
    return PlayerEnding(status: status)
  }

  private static func start(_ command: String, _ url: String) throws(PlayerError) -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    var noSignals = sigset_t()
    // Safe because all of them outlive the call, and are given back. Standard output is for the URL alone. The signals
    // that this process has blocked must reach the player.
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawn_file_actions_adddup2(&actions, 2, 1)
    unsafe posix_spawnattr_init(&attributes)
    unsafe sigemptyset(&noSignals)
    unsafe posix_spawnattr_setsigmask(&attributes, &noSignals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    let words = ["/bin/sh", "-c", "exec \(command) \"$1\"", "footage", url]
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) }
    unsafe arguments.append(nil)
    defer { unsafe arguments.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let status = unsafe posix_spawn(&child, "/bin/sh", &actions, &attributes, &arguments, environ)
    guard status == 0 else { throw .start(command, errorNumber: status) }
    return child
  }
}

/// A child process, to which no signal is sent once its number may be another's.
private final class RunningChild: Sendable {
  private let number: pid_t
  private let isReaped = Mutex(false)

  init(_ number: pid_t) { self.number = number }

  /// Blocks until it has ended.
  ///
  /// - Returns: its status, as `waitpid` tells it.
  func wait() -> CInt {
    var information = unsafe siginfo_t()
    var status: CInt = 0
    // Safe because both outlive the calls. Until it is reaped, nobody else gets its number.
    while unsafe waitid(P_PID, id_t(number), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
    isReaped.withLock { isReaped in
      while unsafe waitpid(number, &status, 0) < 0, errno == EINTR {}
      isReaped = true
    }
    return status
  }

  func end() {
    isReaped.withLock { isReaped in
      if !isReaped { kill(number, SIGTERM) }
    }
  }
}
