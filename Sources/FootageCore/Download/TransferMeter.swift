/// Measures a transfer: its speed over the last seconds, and when a person should hear of it again.

internal import Formats

struct TransferMeter {
  private static let window = Duration.seconds(5)
  private static let slot = Duration.milliseconds(200)
  private static let interval = Duration.milliseconds(100)

  private var slots: [(start: Duration, byteCount: UInt64)] = []
  private var beginning: Duration?
  private var lastReport: Duration?

  /// - Parameter now: on a clock that never goes back.
  mutating func add(_ byteCount: Int, at now: Duration) {
    if beginning == nil { beginning = now }
    slots.removeAll { now - $0.start > Self.window }
    if let last = slots.last, now - last.start < Self.slot {
      slots[slots.count - 1].byteCount += UInt64(byteCount)
    } else {
      slots.append((now, UInt64(byteCount)))
    }
  }

  func bytesPerSecond(at now: Duration) -> Double {
    let recent = slots.filter { now - $0.start <= Self.window }
    guard let beginning, let first = recent.first else { return 0 }
    let span = max(Self.slot, now - max(beginning, first.start))
    return Double(recent.reduce(UInt64(0)) { $0 + $1.byteCount }) / span.inSeconds
  }

  /// Whether so much time has gone by since the last report that another one is due; then this is it.
  mutating func isReportDue(at now: Duration) -> Bool {
    if let lastReport, now - lastReport < Self.interval { return false }
    lastReport = now
    return true
  }

  func progress(received: UInt64, total: UInt64, at now: Duration) -> DownloadProgress {
    let speed = bytesPerSecond(at: now)
    let seconds = speed > 0 ? Double(total - min(received, total)) / speed : .infinity
    return DownloadProgress(
      received: received, total: total, bytesPerSecond: speed,
      // More than a year is no forecast.
      remaining: seconds < 3e7 ? .seconds(seconds) : nil)
  }
}
