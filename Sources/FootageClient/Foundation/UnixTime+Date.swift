public import FootageCore
public import Foundation

extension UnixTime {
  /// Rounded down to the millisecond. What is no moment, or millions of years away, is as near as there is one.
  public init(_ date: Date) {
    // A `Date` is near its moment, up to the year 9999 to some hundredths of a millisecond: whole ones are whole again.
    let milliseconds = ((date.timeIntervalSince1970 * 10_000).rounded() / 10).rounded(.down)
    // Far within `Int64`, and far beyond what any robot has seen.
    let bound = 9e15
    let whole = milliseconds.isNaN ? 0 : Int64(min(max(milliseconds, -bound), bound))
    let (seconds, rest) = whole.quotientAndRemainder(dividingBy: 1_000)
    self.init(seconds: rest < 0 ? seconds - 1 : seconds, milliseconds: Int(rest < 0 ? rest + 1_000 : rest))
  }

  /// The same as Foundation says it.
  public var date: Date { Date(timeIntervalSince1970: Double(seconds) + Double(milliseconds) / 1_000) }
}

extension RobotRecording {
  /// When it began, as well as the robot knows.
  public var startDate: Date { startedAt.date }
  /// When it ended; nil while that is not known.
  public var endDate: Date? { duration.map { startDate.addingTimeInterval($0) } }
}

extension RobotTimeline.Span {
  /// From its beginning to its end.
  public var dateInterval: DateInterval { DateInterval(start: from.date, end: max(from.date, to.date)) }
}

extension RobotTimeline.Part {
  /// When it began; that may be before the span.
  public var startDate: Date { startedAt.date }
}
