public import FootageCore
public import Foundation

extension UnixTime {
  /// Creates the time of a date, rounded down to the millisecond. A date that is not a number becomes the beginning of
  /// 1970. One that is hundreds of thousands of years away becomes the nearest possible time.
  public init(_ date: Date) {
    // A `Date` differs from its moment by up to some hundredths of a millisecond until the year 9999. This rounding
    // makes whole milliseconds whole again.
    let milliseconds = ((date.timeIntervalSince1970 * 10_000).rounded() / 10).rounded(.down)
    // This is far within `Int64`, and far beyond what any robot has seen.
    let bound = 9e15
    let whole = milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, -bound), bound))
    let (seconds, rest) = whole.quotientAndRemainder(dividingBy: 1_000)
    self.init(seconds: rest < 0 ? seconds - 1 : seconds, milliseconds: Int(rest < 0 ? rest + 1_000 : rest))
  }

  /// The same time as a Foundation `Date`.
  public var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(milliseconds) / 1_000) }
}

extension RobotRecording {
  /// The time at which the recording began, as precisely as the robot knows it.
  public var startDate: Date { startedAt.date }
  /// The time at which the recording ended; nil while that is unknown.
  public var endDate: Date? { duration.map { startDate.addingTimeInterval($0) } }
}

extension RobotTimeline.Span {
  /// The interval from the beginning of the span to its end.
  public var dateInterval: DateInterval { DateInterval(start: from.date, end: max(from.date, to.date)) }
}

extension RobotTimeline.Part {
  /// The time at which the recording began, which may be earlier than the span.
  public var startDate: Date { startedAt.date }
}
