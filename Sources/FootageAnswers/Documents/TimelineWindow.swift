package import FootageAPI
package import FootageBase

/// Which time a timeline is asked for, and how much of it one answer has.
package struct TimelineWindow: Equatable {
  /// What was asked for.
  package let whole: Range<UnixTimestamp>
  /// What this answer has of it.
  package private(set) var part: Range<UnixTimestamp>
  /// Where the next answer goes on; nil where this is the last one.
  package var next: TimelineCursor? { part.upperBound < whole.upperBound ? TimelineCursor(part.upperBound) : nil }

  private static let millisecondsOfDay: Int64 = 86_400_000
  /// Where nothing is said of the beginning.
  private static let defaultMilliseconds = millisecondsOfDay
  /// The most in one answer with the recordings of each span,
  package static let longestMilliseconds = 31 * millisecondsOfDay
  /// and without them.
  package static let longestMillisecondsWithoutRows = 400 * millisecondsOfDay
  /// In bytes, more than any answer has, but for what overlaps at one moment: of 20,000 recordings or so.
  package static let longestAnswer = 2 << 20
  /// The present is rounded up to so much, so that what is asked for again within that time is the same.
  private static let presentMilliseconds: Int64 = 60_000

  /// - Throws: `ResourceError.badQuery`.
  package init(_ query: TimelineQuery, now: UnixTimestamp) throws(ResourceError) {
    let to = query.to ?? Self.present(now)
    let from = query.from ?? max(to.advanced(byMilliseconds: -Self.defaultMilliseconds), UnixTimestamp(milliseconds: 0))
    guard from < to else {
      throw .badQuery("The time has to end behind its beginning: where to is left out, it is the robot's present.")
    }
    whole = from..<to
    let beginning: UnixTimestamp
    if let after = query.after {
      guard let place = after.place, whole.contains(place) else {
        throw .badQuery("The parameter after has to be the \"next\" of an earlier answer for the same from and to.")
      }
      beginning = place
    } else {
      beginning = from
    }
    let most = query.hasRows ? Self.longestMilliseconds : Self.longestMillisecondsWithoutRows
    part = beginning..<min(to, beginning.advanced(byMilliseconds: most))
  }

  /// The same, of which this answer has no more than what is before a moment within its part.
  package func ending(at moment: UnixTimestamp) -> TimelineWindow {
    var window = self
    window.part = part.lowerBound..<max(moment, part.lowerBound)
    return window
  }

  /// The end of the minute.
  private static func present(_ now: UnixTimestamp) -> UnixTimestamp {
    let minutes = now.milliseconds.quotientRoundedDown(by: presentMilliseconds)
    return UnixTimestamp(milliseconds: minutes * presentMilliseconds).advanced(byMilliseconds: presentMilliseconds)
  }
}
