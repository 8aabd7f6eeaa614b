package import FootageBase

/// A forecast of how long the room will last if recorders continue at their present rate. It depends only on the listed
/// recordings and the free space.
package struct RoomForecast: Hashable, Sendable {
  /// The time until the disk is as full as it may get, in seconds.
  package let seconds: Double
  /// True if the oldest recordings are then deleted, and new ones are not lost.
  package let isMadeRoom: Bool

  /// The period before now whose recordings determine the rate of recording, in milliseconds.
  private static let window: Int64 = 86_400_000
  /// The shortest period of recording from which a rate can be derived, in milliseconds.
  private static let shortestWindow: Int64 = 600_000
  /// The longest forecast, in seconds: ten years.
  private static let longest = 315_360_000.0

  /// - Parameters:
  ///   - recordings: all listed recordings: the start of each, its end or last write, and its size in bytes.
  ///   - room: the bytes that may still be written: the free bytes, minus those that the rules keep free.
  ///   - now: the time of the clock.
  /// - Returns: nil if nothing was recorded in the last day, or for too short a time for a forecast.
  package init?(
    of recordings: some Sequence<(start: UnixTimestamp, end: UnixTimestamp, size: UInt64)>, room: UInt64,
    isMadeRoom: Bool, now: UnixTimestamp
  ) {
    let since = now.advanced(byMilliseconds: -Self.window)
    var bytes = 0.0
    var first = now
    for recording in recordings where recording.end > since && recording.end <= now {
      bytes += Double(recording.size)
      first = min(first, max(since, recording.start))
    }
    let span = now.milliseconds - first.milliseconds
    guard span >= Self.shortestWindow, bytes > 0 else { return nil }
    seconds = min(Double(room) / bytes * Double(span) / 1_000, Self.longest)
    self.isMadeRoom = isMadeRoom
  }

  /// The time in words, for example `2.1 days` or `5 hours`.
  package var words: String {
    switch seconds {
    case 315_360_000...: "10 years or more"
    case 864_000...: "\(Int(seconds / 86_400)) days"
    case 172_800...: "\((seconds / 8_640).rounded(.down) / 10) days"
    case 7_200...: "\(Int(seconds / 3_600)) hours"
    case 120...: "\(Int(seconds / 60)) minutes"
    default: "no time"
    }
  }

  /// A sentence for people, for example `at this rate the disk will be full in 2.1 days`.
  package var sentence: String {
    if isMadeRoom {
      return seconds < 120
        ? "the oldest recordings are deleted as new ones arrive"
        : "at this rate the oldest recordings will be deleted in \(words)"
    }
    return seconds < 120 ? "the disk is full" : "at this rate the disk will be full in \(words)"
  }
}
