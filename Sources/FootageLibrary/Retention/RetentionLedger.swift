internal import FootageSystem

/// The facts about each file that retention needs: when it was first seen, and how many names it has.
struct RetentionLedger {
  private struct Entry {
    var inode: UInt64
    /// The number of names; nil until the file's status was read.
    var linkCount: UInt64?
    var sighting: Sighting
  }

  private var entries: [RelativePath: Entry] = [:]
  private var nextOrder: Int64 = 0

  /// Restores a file's sighting from an earlier run.
  mutating func restore(_ path: RelativePath, inode: UInt64, order: Int64, wall: Int64?) {
    entries[path] = Entry(inode: inode, linkCount: nil, sighting: Sighting(order: order, uptime: nil, wall: wall))
    nextOrder = max(nextOrder, order < .max ? order + 1 : order)
  }

  /// Records that a file was seen under this name.
  ///
  /// - Parameters:
  ///   - isOther: true if the file was rewritten after it was complete, so that it is another recording.
  ///   - uptime: the monotonic time; nil if the file existed before this program started.
  ///   - wall: the time by the clock; nil if the clock is not set.
  mutating func note(_ path: RelativePath, _ status: FileStatus, isOther: Bool, uptime: Int64?, wall: Int64?) {
    if let known = entries[path], known.inode == status.version.inode, !isOther {
      entries[path]?.linkCount = status.linkCount
      return
    }
    entries[path] = Entry(
      inode: status.version.inode, linkCount: status.linkCount,
      sighting: Sighting(order: nextOrder, uptime: uptime, wall: wall))
    nextOrder += 1
  }

  mutating func noteLinks(_ path: RelativePath, _ count: UInt64) { entries[path]?.linkCount = count }

  mutating func forget(_ path: RelativePath) { entries[path] = nil }

  /// Returns the first sighting of a file; nil if it was never seen.
  func sighting(of path: RelativePath) -> Sighting? { entries[path]?.sighting }

  /// Returns the number of names of a file; nil if it is not known.
  func linkCount(of path: RelativePath) -> UInt64? { entries[path]?.linkCount }

  /// Computes the dates of the sightings that were recorded before the clock was set.
  ///
  /// - Returns: the files whose sightings have changed.
  mutating func date(at moment: RetentionMoment) -> [RelativePath] {
    let undated = entries.filter { $0.value.sighting.wall == nil }.map(\.key)
    for path in undated {
      guard let sighting = entries[path]?.sighting else { continue }
      entries[path]?.sighting.wall = moment.wall - (moment.uptime - (sighting.uptime ?? moment.started))
    }
    return undated
  }
}
