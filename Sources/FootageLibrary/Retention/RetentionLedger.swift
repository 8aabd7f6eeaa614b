internal import FootageSystem

/// What is remembered of each file for those who make room: when it was met first, and how many names it has.
struct RetentionLedger {
  private struct Entry {
    var inode: UInt64
    /// Nil until somebody has asked the file itself.
    var linkCount: UInt64?
    var sighting: Sighting
  }

  private var entries: [RelativePath: Entry] = [:]
  private var nextOrder: Int64 = 0

  /// Takes in what an earlier run has remembered of a file.
  mutating func restore(_ path: RelativePath, inode: UInt64, order: Int64, wall: Int64?) {
    entries[path] = Entry(inode: inode, linkCount: nil, sighting: Sighting(order: order, uptime: nil, wall: wall))
    nextOrder = max(nextOrder, order < .max ? order + 1 : order)
  }

  /// A file was seen under this name.
  ///
  /// - Parameters:
  ///   - isOther: whether it was written anew since it was whole, so that it is another recording.
  ///   - uptime: nil where it was there before this program began to look.
  ///   - wall: nil where the clock is not set.
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

  /// When a file was met first; nil for one that was never met.
  func sighting(of path: RelativePath) -> Sighting? { entries[path]?.sighting }

  /// How many names a file has; nil where nobody has asked.
  func linkCount(of path: RelativePath) -> UInt64? { entries[path]?.linkCount }

  /// The clock is set now: dates what was met before it was.
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
