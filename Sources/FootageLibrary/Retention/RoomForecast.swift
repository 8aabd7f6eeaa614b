package import FootageBase

/// How long the room lasts, if recorders go on as they did: from what is listed and what is free, and nothing else.
package struct RoomForecast: Hashable, Sendable {
  /// Until the disk is as full as it may get, in seconds.
  package let seconds: Double
  /// Whether the oldest recordings go then, and not the new ones.
  package let isMadeRoom: Bool

  /// What was recorded within this time says how much is recorded, in milliseconds,
  private static let window: Int64 = 86_400_000
  /// and what was recorded within less says nothing.
  private static let shortestWindow: Int64 = 600_000
  /// Whoever hears of ten years need not hear of more, in seconds.
  private static let longest = 315_360_000.0

  /// - Parameters:
  ///   - recordings: all that are listed: when each ended, or was last written to, and its bytes.
  ///   - room: bytes that may still be written: what is free, less what is to stay free.
  ///   - now: what the clock says.
  /// - Returns: nil where nothing was recorded in the last day, or for too short a time to tell.
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

  /// `2.1 days`, `5 hours`.
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

  /// For a person: `at this rate the disk is full in 2.1 days`.
  package var sentence: String {
    if isMadeRoom {
      return seconds < 120
        ? "the oldest recordings go as new ones come" : "at this rate the oldest recordings go in \(words)"
    }
    return seconds < 120 ? "the disk is full" : "at this rate the disk is full in \(words)"
  }
}
