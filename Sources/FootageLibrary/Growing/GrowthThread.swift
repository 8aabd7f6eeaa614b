internal import FootageAPI
internal import Synchronization
internal import FootageSystem

/// The thread that watches growing files. Each fragment is served soon after it was written, even while the library is
/// busy.
final class GrowthThread: Sendable {
  /// The state of a file according to the library.
  struct Finding: Sendable {
    let path: RelativePath
    /// The recording of the file; nil if the file no longer exists.
    let recording: Recording?
  }

  private let inbox = Mutex<[Finding]>([])
  private let worker: Worker

  /// - Throws: `SystemError` if the system has no threads or descriptors left.
  init(_ makeWatcher: @escaping @Sendable (FolderChanges) -> GrowthWatcher) throws(SystemError) {
    let stream = try FolderChanges()
    worker = Worker("growth") { stream.wake() }
    try worker.start { [self] in
      let watcher = makeWatcher(stream)
      return { [self] in
        let pause = watcher.turn(take())
        stream.wait(milliseconds: pause.milliseconds, onlyForWake: pause.isGathering)
      }
    }
  }

  func note(_ path: RelativePath, _ recording: Recording?) {
    inbox.withLock { $0.append(Finding(path: path, recording: recording)) }
    worker.wake()
  }

  func stop() { worker.stop() }

  private func take() -> [Finding] {
    inbox.withLock { inbox in
      defer { inbox = [] }
      return inbox
    }
  }
}
