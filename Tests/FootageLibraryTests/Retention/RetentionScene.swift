/// Recordings, rules, room and clocks for tables of deletions.

import FootageBase
import FootageSystem

@testable import FootageLibrary

extension Int64 {
  static let second: Int64 = 1_000_000_000
  static let minute = 60 * second
  static let hour = 60 * minute
  static let day = 24 * hour
}

enum RetentionScene {
  /// 2026-11-20T12:00:00Z, as nanoseconds since 1970.
  static let now: Int64 = 1_795_176_000 * .second

  /// - Parameter wall: the time of the wall clock.
  static func moment(wall: Int64 = now, agesCount: Bool = true) -> RetentionMoment {
    RetentionMoment(wall: wall, uptime: 100 * .day, started: 90 * .day, agesCount: agesCount)
  }

  /// Returns a recording of 100 bytes that ended the given time before `now`.
  static func recording(
    _ name: String, ago: Int64, camera: String? = nil, inode: UInt64? = nil, order: Int64 = 0,
    _ change: (inout RetentionCandidate) -> Void = { _ in }
  ) -> RetentionCandidate {
    let end = UnixTimestamp(nanoseconds: now - ago)
    let inode = inode ?? UInt64(truncatingIfNeeded: name.hashValue)
    var candidate = RetentionCandidate(
      path: RelativePath("\(name).mp4"), name: name, camera: camera,
      version: FileVersion(device: 1, inode: inode, size: 100, modifiedNanoseconds: now - ago),
      startedAt: end.advanced(byMilliseconds: -60_000), endsAt: end,
      sighting: Sighting(order: order, uptime: nil, wall: nil))
    change(&candidate)
    return candidate
  }

  static func room(free: UInt64, total: UInt64 = 10_000) -> FileSystemSpace {
    FileSystemSpace(freeBytes: free, totalBytes: total)
  }

  /// Returns the names that are deleted, in order.
  static func gone(
    _ recordings: [RetentionCandidate], _ rules: RetentionRules, room: FileSystemSpace? = room(free: 5_000),
    at moment: RetentionMoment = moment()
  ) -> [String] {
    RetentionPlan(of: recordings, by: rules, room: room, at: moment).deletions.map(\.recording.name)
  }
}
