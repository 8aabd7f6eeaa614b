internal import FootageAPI
internal import Synchronization
internal import FootageSystem

/// The thread that watches files that grow, so that what a fragment brings is seen a moment after it was written,
/// whatever else the library has to do.
final class GrowthThread: Sendable {
  /// What the library has found.
  struct Finding: Sendable {
    let path: RelativePath
    /// Nil where the file is gone.
    let recording: Recording?
  }

  private struct Inbox {
    var findings: [Finding] = []
    var isStopped = false
  }

  private let inbox = Mutex(Inbox())
  private let stream: FolderChanges
  private let thread = Mutex<Thread?>(nil)

  /// - Throws: `SystemError` where the system has no thread or no descriptor left.
  init(_ makeWatcher: @escaping @Sendable (FolderChanges) -> GrowthWatcher) throws(SystemError) {
    let stream = try FolderChanges()
    self.stream = stream
    let started = try Thread.start("growth") { [self] in
      let watcher = makeWatcher(stream)
      while true {
        let inbox = take()
        if inbox.isStopped { return }
        let pause = watcher.turn(inbox.findings)
        stream.wait(milliseconds: pause.milliseconds, onlyForWake: pause.isGathering)
      }
    }
    thread.withLock { $0 = started }
  }

  func note(_ path: RelativePath, _ recording: Recording?) {
    inbox.withLock { $0.findings.append(Finding(path: path, recording: recording)) }
    stream.wake()
  }

  func stop() {
    inbox.withLock { $0.isStopped = true }
    stream.wake()
    thread.withLock { thread in
      defer { thread = nil }
      return thread
    }?.join()
  }

  private func take() -> Inbox {
    inbox.withLock { inbox in
      defer { inbox.findings = [] }
      return inbox
    }
  }
}
