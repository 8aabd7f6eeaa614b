internal import Synchronization
internal import FootageSystem

/// The reason why a player does not run.
enum PlayerError: Error, CustomStringConvertible {
  case start(String, SystemError)
  case system(SystemError)

  var description: String {
    switch self {
    case .start(let command, let error): "cannot start the player '\(command)': \(error.number)"
    case .system(let error): error.description
    }
  }
}

extension ChildProcess.End {
  /// A message about what went wrong with a player; nil if it ended normally.
  var problemOfPlayer: String? {
    switch self {
    case .exited(code: 0): nil
    case .exited(code: 127): "was not found: install it, or name another one"
    case .exited(let code): "ended with exit status \(code)"
    case .signalled(let signal): "was ended by signal \(signal)"
    case .unknown: "ended, but the system does not report how"
    }
  }
}

/// The player process that `footage play --player` starts and waits for.
enum PlayerProcess {
  /// Runs `COMMAND URL` to its end. When the task is canceled, the player is asked to terminate, and waited for.
  ///
  /// - Parameter command: a command for the shell, possibly with options.
  static func run(_ command: String, _ url: String) async throws(PlayerError) -> ChildProcess.End {
    let child: ChildProcess
    do throws(SystemError) {
      // Standard output is reserved for the URL.
      child = try .shell("exec \(command) \"$1\"", name: "footage", argument: url)
    } catch { throw .start(command, error) }
    let ending = Mutex<CheckedContinuation<ChildProcess.End, Never>?>(nil)
    let isAwaited = Semaphore()
    do throws(SystemError) {
      try Thread.start("footage-player") {
        let end = child.wait()
        isAwaited.wait()
        ending.withLock { $0 }?.resume(returning: end)
      }.detach()
    } catch {
      child.terminate()
      throw .system(error)
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        ending.withLock { $0 = continuation }
        isAwaited.signal()
      }
    } onCancel: {
      child.terminate()
    }
  }
}
