internal import FootageSystem

/// A repeated report on the progress of a version, for as long as the version is being fetched.
struct DownloadReport: Sendable {
  private let version: CachedVersion
  private let onProgress: @Sendable (DownloadProgress) -> Void
  /// The number of bytes that were in the file at the beginning.
  private let before: UInt64
  private let task: Task<Void, Never>

  private static let interval = Duration.milliseconds(100)

  init(of version: CachedVersion, _ onProgress: @escaping @Sendable (DownloadProgress) -> Void) {
    self.version = version
    self.onProgress = onProgress
    let before = Self.progress(of: version).received
    self.before = before
    task = Task {
      while true {
        await version.clock.pause(for: Self.interval)
        guard !Task.isCancelled else { return }
        Self.tell(version, before, onProgress)
      }
    }
  }

  /// Reports the progress one last time.
  func end() async {
    task.cancel()
    await task.value
    Self.tell(version, before, onProgress)
  }

  private static func tell(
    _ version: CachedVersion, _ before: UInt64, _ onProgress: @Sendable (DownloadProgress) -> Void
  ) {
    let progress = progress(of: version)
    guard progress.received > before || progress.received == progress.total else { return }
    onProgress(progress)
  }

  private static func progress(of version: CachedVersion) -> DownloadProgress {
    let state = version.currentState
    let received = state.cachedBytes.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
    return DownloadProgress(received, of: state.length, bytesPerSecond: state.bytesPerSecond)
  }
}

extension DownloadProgress {
  init(_ received: UInt64, of length: UInt64, bytesPerSecond: Double) {
    let seconds = bytesPerSecond > 0 ? Double(length - min(received, length)) / bytesPerSecond : .infinity
    self.init(
      received: received, total: length, bytesPerSecond: bytesPerSecond,
      // A forecast of more than a year is useless.
      remaining: seconds < 3e7 ? .seconds(seconds) : nil)
  }
}
