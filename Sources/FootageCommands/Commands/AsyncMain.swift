internal import Synchronization
internal import FootageSystem

/// The runner of a command's asynchronous part. It lets Ctrl-C end the command cleanly.
enum AsyncMain {
  /// Runs `body` to its end on other threads. SIGINT, SIGTERM and SIGHUP cancel its task; a second signal ends the
  /// process.
  static func run(_ body: @escaping @Sendable () async -> ExitCode) -> ExitCode {
    do throws(SystemError) {
      // This precedes the first thread, so that all threads leave signals to the one that reads them.
      let signals = try Signals()
      let exitCode = Mutex(ExitCode.failed)
      let isOver = Semaphore()
      let task = Task.detached {
        let code = await body()
        exitCode.withLock { $0 = code }
        isOver.signal()
      }
      _ = try Thread.start("footage-signals") {
        _ = signals.next(until: .never)
        task.cancel()
        // One request to end may arrive as several signals: `timeout` sends its own to the process and to its group.
        let first = ContinuousClock.now
        repeat { _ = signals.next(until: .never) } while ContinuousClock.now - first < .milliseconds(500)
        Process.exit(ExitCode.failed.rawValue)
      }
      isOver.wait()
      return exitCode.withLock { $0 }
    } catch {
      return Terminal.failed(error)
    }
  }

  /// Waits until the task is canceled.
  static func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    // A canceled task ends its stream.
    for await _ in stream {}
    continuation.finish()
  }
}
