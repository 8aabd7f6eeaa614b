internal import RecordingLibrary
internal import System

/// How long a disk has room at the rate of the last day.
enum DiskForecast {
  /// What was written in less time than this says nothing of a rate, in seconds.
  private static let shortestSpan: Int64 = 600

  /// Pure.
  ///
  /// - Returns: in seconds; nil where nothing was recorded for long enough within the last day.
  static func seconds(_ statistics: LibraryStatistics, free: UInt64, nowNanoseconds now: Int64) -> Int64? {
    guard statistics.bytesOfLastDay > 0, let first = statistics.firstWriteOfLastDay else { return nil }
    let span = (now - first) / 1_000_000_000
    guard span >= shortestSpan else { return nil }
    return Int64(min(Double(free) * Double(span) / Double(statistics.bytesOfLastDay), 1e12))
  }
}
