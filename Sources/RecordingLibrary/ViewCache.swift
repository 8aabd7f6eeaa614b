internal import Formats
internal import ISOMedia
internal import Synchronization

/// The pictures that were asked for last, so that what many look at, or one asks for in pieces, is made once.
///
/// Found by any of the times at which a picture is shown. Bound to versions: another version of a recording has another
/// tag.
final class ViewCache: Sendable {
  fileprivate struct Entry {
    let picture: KeyFrame
    let literalByteCount: Int
    var lastUse: UInt64
  }

  fileprivate struct State {
    /// By the recording's tag, without quotes; each list in the order of its times, of which no two share one.
    var entries: [String: [Entry]] = [:]
    /// Of versions that have no such view, or end whoever looks for it, by tag.
    var failures: [String: ViewFailure] = [:]
    var count = 0
    var literalByteCount = 0
    var uses: UInt64 = 0
  }

  private let state = Mutex(State())

  private static let countLimit = 512
  /// Of literal bytes.
  private static let byteLimit = 4 << 20

  /// The picture that a version shows at a time; nil where it is not here.
  func keyFrame(of tag: String, at seconds: DecimalSeconds) -> KeyFrame? {
    state.withLock { state in
      guard let entries = state.entries[tag], let index = entries.firstIndex(endingAfter: seconds.nanoseconds),
        entries[index].picture.times.contains(seconds.nanoseconds)
      else { return nil }
      state.uses += 1
      state.entries[tag]?[index].lastUse = state.uses
      return entries[index].picture
    }
  }

  /// Why a version has none; nil where it may have one.
  func failure(of tag: String) -> ViewFailure? { state.withLock { $0.failures[tag] } }

  func keep(_ failure: ViewFailure, of tag: String) {
    state.withLock { state in
      if state.failures.count >= Self.countLimit { state.failures = [:] }
      state.failures[tag] = failure
    }
  }

  func keep(_ picture: KeyFrame, of tag: String) {
    let count = picture.composition.slices.reduce(0) { sum, slice in
      if case .literal(let bytes) = slice { sum + bytes.count } else { sum }
    }
    guard count <= Self.byteLimit / 4 else { return }
    state.withLock { state in
      state.uses += 1
      state.insert(Entry(picture: picture, literalByteCount: count, lastUse: state.uses), of: tag)
      while state.count > Self.countLimit || state.literalByteCount > Self.byteLimit {
        guard state.removeOldest() else { return }
      }
    }
  }
}

extension ViewCache.State {
  /// Puts it in place of whatever is known of its times.
  fileprivate mutating func insert(_ entry: ViewCache.Entry, of tag: String) {
    var list = entries[tag] ?? []
    let times = entry.picture.times
    let first = list.firstIndex(endingAfter: times.lowerBound) ?? list.count
    let end = list[first...].firstIndex { $0.picture.times.lowerBound >= times.upperBound } ?? list.count
    for old in list[first..<end] { literalByteCount -= old.literalByteCount }
    count += 1 - (end - first)
    literalByteCount += entry.literalByteCount
    list.replaceSubrange(first..<end, with: [entry])
    entries[tag] = list
  }

  /// - Returns: false where there is none.
  fileprivate mutating func removeOldest() -> Bool {
    var oldest: (tag: String, index: Int, use: UInt64)?
    for (tag, list) in entries {
      for (index, entry) in list.enumerated() where entry.lastUse < oldest?.use ?? .max {
        oldest = (tag, index, entry.lastUse)
      }
    }
    guard let oldest, let entry = entries[oldest.tag]?.remove(at: oldest.index) else { return false }
    if entries[oldest.tag]?.isEmpty == true { entries[oldest.tag] = nil }
    count -= 1
    literalByteCount -= entry.literalByteCount
    return true
  }
}

extension [ViewCache.Entry] {
  /// The first that ends later than this. O(log n).
  fileprivate func firstIndex(endingAfter nanoseconds: Int64) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].picture.times.upperBound > nanoseconds { high = middle } else { low = middle + 1 }
    }
    return low < count ? low : nil
  }
}
