internal import FootageCore

/// The progress of reading a file, shown like that of downloads if it takes long.
final class ReadingProgress {
  private let report: ProgressReport
  private let began = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?

  private static let interval = Duration.milliseconds(100)
  /// The time below which no progress is shown.
  private static let patience = Duration.seconds(1)

  init(_ name: String) { report = ProgressReport(name, place: (1, 1)) }

  func show(_ count: UInt64, of total: UInt64) {
    let now = ContinuousClock.now
    guard now - began >= Self.patience, count == total || lastShown.map({ now - $0 >= Self.interval }) ?? true else {
      return
    }
    lastShown = now
    let (seconds, attoseconds) = (now - began).components
    let passed = Double(seconds) + Double(attoseconds) / 1e18
    let rate = passed > 0 ? Double(count) / passed : 0
    report.show(
      DownloadProgress(
        received: count, total: total, bytesPerSecond: rate,
        remaining: rate > 0 ? .seconds(Double(total - min(count, total)) / rate) : nil))
  }

  /// Removes the line, because the result is printed next.
  func end() { report.end(keeping: false) }
}
