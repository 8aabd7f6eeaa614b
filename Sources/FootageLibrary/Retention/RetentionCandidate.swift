internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The facts about a recording that matter for retention.
struct RetentionCandidate: Hashable {
  var path: RelativePath
  var name: String
  var camera: String?
  /// The version at the time of the decision. A different file with that name is not deleted.
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
  /// True if the recording has yet to be uploaded to the store, according to the robot's records, so that there is no
  /// other copy.
  var isOwed = false
  /// True if the records say that the recording is in the store, but since the start, the store has not confirmed that
  /// it has the recording. The recording then counts as owed.
  var isUnconfirmed = false
  /// The version that the store is confirmed to have; nil if none is confirmed.
  var storedVersion: VersionTag?
  /// True if an attempt to delete it has failed recently; it is retried later.
  var isLeftAlone = false
  /// The monotonic time since which a response has had it open, in nanoseconds; nil if none has.
  var openSince: Int64?
  var sighting: Sighting
}

/// The first time that a file was seen.
struct Sighting: Hashable, Sendable {
  /// The number of the sighting, which increases from file to file.
  var order: Int64
  /// The monotonic time in nanoseconds; nil if the file existed before this program started.
  var uptime: Int64?
  /// The time in nanoseconds since 1970; nil until the clock has been set.
  var wall: Int64?
}

/// The times of the clocks at one moment.
struct RetentionMoment: Hashable {
  /// The time in nanoseconds since 1970.
  var wall: Int64
  /// The monotonic time in nanoseconds.
  var uptime: Int64
  /// The monotonic time when this program started, in nanoseconds.
  var started: Int64
  /// True if ages in days are meaningful. They are not while the clock is not set, or for a day after it has jumped.
  var agesCount: Bool
}

extension RetentionCandidate {
  /// The earliest credible time: no recorder wrote H.264 to MP4 before 2015. A clock that was not set may show less.
  static let earliest: Int64 = 1_420_070_400_000_000_000

  /// Returns the time from which the recording's age is measured, in nanoseconds since 1970 by the present clock. It is
  /// the later of the recording's end and the file's last write, ignoring an implausible one. If neither is plausible,
  /// it is the time when the file was first seen.
  func birth(at moment: RetentionMoment) -> Int64 {
    let witnesses = [endsAt.nanoseconds, version.modifiedNanoseconds].filter { isPlausible($0, at: moment) }
    return witnesses.max() ?? firstMet(at: moment)
  }

  /// Returns the recording's age in nanoseconds, never below 0.
  func age(at moment: RetentionMoment) -> Int64 { max(0, moment.wall.subtractingClamped(birth(at: moment))) }

  /// Returns whether the recording is younger than an age by one of the clocks. A file that was first seen a minute ago
  /// counts as no older than that, even if the clock was changed.
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
