package import FootageAPI
package import FootageBase

/// The time that a timeline is requested for, and the part of it that one answer contains.
package struct TimelineWindow: Equatable {
  /// The requested time.
  package let whole: Range<UnixTimestamp>
  /// The part of the time that this answer contains.
  package private(set) var part: Range<UnixTimestamp>
  /// The position where the next answer continues; nil if this is the last one.
  package var next: TimelineCursor? { part.upperBound < whole.upperBound ? TimelineCursor(part.upperBound) : nil }

  private static let millisecondsOfDay: Int64 = 86_400_000
  /// The length of the time in milliseconds if the query states no beginning.
  private static let defaultMilliseconds = millisecondsOfDay
  /// The longest time in one answer that lists the recordings of each span, in milliseconds.
  package static let longestMilliseconds = 31 * millisecondsOfDay
  /// The longest time in one answer without the recordings of each span, in milliseconds.
  package static let longestMillisecondsWithoutRows = 400 * millisecondsOfDay
  /// The length in bytes at which an answer is cut, after about 20,000 recordings. Only recordings that overlap at one
  /// moment can make an answer longer.
  package static let longestAnswer = 2 << 20
  /// The unit in milliseconds to which the present is rounded up, so that a query repeated within that time has the
  /// same answer.
  private static let presentMilliseconds: Int64 = 60_000

  /// - Throws: `ResourceError.badQuery`.
  package init(_ query: TimelineQuery, now: UnixTimestamp) throws(ResourceError) {
    let to = query.to ?? Self.present(now)
    let from = query.from ?? max(to.advanced(byMilliseconds: -Self.defaultMilliseconds), UnixTimestamp(milliseconds: 0))
    guard from < to else {
      throw .badQuery("The parameter from must be before to. If to is left out, it is the robot's current time.")
    }
    whole = from..<to
    let beginning: UnixTimestamp
    if let after = query.after {
      guard let place = after.place, whole.contains(place) else {
        throw .badQuery("The parameter after must be the \"next\" of an earlier answer for the same from and to.")
      }
      beginning = place
    } else {
      beginning = from
    }
    let most = query.rows == .none ? Self.longestMillisecondsWithoutRows : Self.longestMilliseconds
    part = beginning..<min(to, beginning.advanced(byMilliseconds: most))
  }

  /// Returns the same window with a part that ends at the moment. The part is empty if the moment is before it.
  package func ending(at moment: UnixTimestamp) -> TimelineWindow {
    var window = self
    window.part = part.lowerBound..<max(moment, part.lowerBound)
    return window
  }

  /// Returns the present, rounded up to the end of its minute.
  private static func present(_ now: UnixTimestamp) -> UnixTimestamp {
    let minutes = now.milliseconds.quotientRoundedDown(by: presentMilliseconds)
    return UnixTimestamp(milliseconds: minutes * presentMilliseconds).advanced(byMilliseconds: presentMilliseconds)
  }
}
