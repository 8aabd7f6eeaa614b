internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// A recording, as far as it matters for retention.
struct RetentionCandidate: Hashable {
  var path: RelativePath
  var name: String
  var camera: String?
  /// The version at the time of the decision: another file with that name is left alone.
  var version: FileVersion
  /// The number of names that the file has anywhere.
  var linkCount: UInt64 = 1
  var startedAt: UnixTimestamp
  /// The end according to its start and length.
  var endsAt: UnixTimestamp
  /// True if a process is still writing to the file.
  var hasWriter = false
  var isRefused = false
  var isKept = false
  /// True if it has yet to be uploaded to the store, as far as is known, so that no other copy exists.
  var isOwed = false
  /// True if it is believed to be in the store, but this was not confirmed since the start; it then counts as owed.
  var isUnconfirmed = false
  /// The version that the store was found to have; nil if it was not found.
  var storedVersion: VersionTag?
  /// True if it could not be deleted a moment ago; this is retried later.
  var isLeftAlone = false
  /// The monotonic time since which some response has had it open, in nanoseconds; nil if none has.
  var openSince: Int64?
  var sighting: Sighting
}

/// The first time that a file was seen.
struct Sighting: Hashable, Sendable {
  /// The number of the sighting, which increases from file to file.
  var order: Int64
  /// The monotonic time in nanoseconds; nil if the file was there before this program began to look.
  var uptime: Int64?
  /// The time in nanoseconds since 1970; nil as long as the clock was never right.
  var wall: Int64?
}

/// The times of the clocks at one moment.
struct RetentionMoment: Hashable {
  /// The time in nanoseconds since 1970.
  var wall: Int64
  /// The monotonic time in nanoseconds.
  var uptime: Int64
  /// The monotonic time when this program began to look, in nanoseconds.
  var started: Int64
  /// True if ages in days are meaningful. They are not while the clock is not set, or for a day after it has jumped.
  var agesCount: Bool
}

extension RetentionCandidate {
  /// The earliest credible time: no recorder wrote H.264 to MP4 before 2015. A clock that was not set may show less.
  static let earliest: Int64 = 1_420_070_400_000_000_000

  /// Returns the time from which its age counts, in nanoseconds since 1970 by the present clock. This is the later of
  /// two times, as far as they are plausible: its end by its start, and its last write. If neither is plausible, it is
  /// the time when it was first seen.
  func birth(at moment: RetentionMoment) -> Int64 {
    let witnesses = [endsAt.nanoseconds, version.modifiedNanoseconds].filter { isPlausible($0, at: moment) }
    return witnesses.max() ?? firstMet(at: moment)
  }

  /// Returns its age in nanoseconds, never below 0.
  func age(at moment: RetentionMoment) -> Int64 { max(0, moment.wall.subtractingClamped(birth(at: moment))) }

  /// Returns whether it is too young by either clock. A file that was first seen a minute ago is no older than that,
  /// whatever the clock has done since.
  func isYounger(than age: Int64, at moment: RetentionMoment) -> Bool {
    if let uptime = sighting.uptime, moment.uptime - uptime < age { return true }
    return self.age(at: moment) < age
  }

  private func firstMet(at moment: RetentionMoment) -> Int64 {
    if let wall = sighting.wall, isPlausible(wall, at: moment) { return wall }
    return moment.wall.subtractingClamped(moment.uptime - (sighting.uptime ?? moment.started))
  }

  private func isPlausible(_ time: Int64, at moment: RetentionMoment) -> Bool {
    time >= Self.earliest && time <= moment.wall
  }
}

extension UnixTimestamp {
  /// The time in nanoseconds since 1970, clamped.
  var nanoseconds: Int64 {
    let (product, overflows) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
    return overflows ? (milliseconds < 0 ? .min : .max) : product
  }
}

extension Int64 {
  func subtractingClamped(_ other: Int64) -> Int64 {
    let (difference, overflows) = subtractingReportingOverflow(other)
    return overflows ? (self < 0 ? .min : .max) : difference
  }
}
