internal import FootageCore

/// How far something is read, shown as downloads are where it takes long.
final class ReadingProgress {
  private let report: ProgressReport
  private let began = ContinuousClock.now
  private var lastShown: ContinuousClock.Instant?

  private static let interval = Duration.milliseconds(100)
  /// What takes no longer is not shown.
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

  /// The line goes: what has come of it is said next.
  func end() { report.end(keeping: false) }
}
