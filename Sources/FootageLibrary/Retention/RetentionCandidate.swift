internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// A recording, as far as it matters to what is deleted.
struct RetentionCandidate: Hashable {
  var path: RelativePath
  var name: String
  var camera: String?
  /// When it was decided about: another file of that name is left alone.
  var version: FileVersion
  /// How many names the file has, wherever they are.
  var linkCount: UInt64 = 1
  var startedAt: UnixTimestamp
  /// By its start and length.
  var endsAt: UnixTimestamp
  /// Whether somebody still writes to it.
  var hasWriter = false
  var isRefused = false
  var isKept = false
  /// Whether it is still to come into the store, as far as anybody can say, so that nothing else has it.
  var isOwed = false
  /// Whether it is believed to be in the store, and nobody has looked there since the start; it counts as owed then.
  var isUnconfirmed = false
  /// The version that the store was seen to have; nil where it was not.
  var storedVersion: VersionTag?
  /// Could not be deleted a moment ago, and is tried again later.
  var isLeftAlone = false
  /// Since when some response has had it open, on the clock that never goes back, in nanoseconds; nil where none has.
  var openSince: Int64?
  var sighting: Sighting
}

/// When a file was met first.
struct Sighting: Hashable, Sendable {
  /// Goes up from file to file.
  var order: Int64
  /// On the clock that never goes back, in nanoseconds; nil where it was there before this program began to look.
  var uptime: Int64?
  /// In nanoseconds since 1970; nil as long as the clock was never right.
  var wall: Int64?
}

/// The clocks, at one moment.
struct RetentionMoment: Hashable {
  /// In nanoseconds since 1970.
  var wall: Int64
  /// Of the clock that never goes back, in nanoseconds.
  var uptime: Int64
  /// When this program began to look, on that clock.
  var started: Int64
  /// Whether ages in days mean anything: not while the clock is not set, nor for a day after it has jumped.
  var agesCount: Bool
}

extension RetentionCandidate {
  /// No recorder of H.264 to MP4 wrote anything before 2015; a clock that was not set says so all the same.
  static let earliest: Int64 = 1_420_070_400_000_000_000

  /// From when its age counts, in nanoseconds since 1970 by the clock of now: the later of its end by its start and its
  /// last write, as far as those can be; else when it was first met.
  func birth(at moment: RetentionMoment) -> Int64 {
    let witnesses = [endsAt.nanoseconds, version.modifiedNanoseconds].filter { isPlausible($0, at: moment) }
    return witnesses.max() ?? firstMet(at: moment)
  }

  /// In nanoseconds; never below 0.
  ///
  /// What was met a minute ago is no older than that to anybody, whatever the clock has done since.
  func age(at moment: RetentionMoment) -> Int64 { max(0, moment.wall.subtractingClamped(birth(at: moment))) }

  /// Whether it is too young by either clock.
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
  /// Since 1970, clamped.
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
