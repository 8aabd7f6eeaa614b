/// Consecutive bytes that were received, with their checksums, ready to be claimed.
struct ReceivedRange: Hashable, Sendable {
  let fragment: ChecksummedRange
  /// The end of the part of the fragment that is already claimed; the fragment's start if no part is.
  let claimedEnd: UInt64
}

/// The checksums of a version's bytes, computed as they arrive. They are never computed from what a disk returns.
///
/// Each sequence of consecutive bytes has a run. A run grows as long as the next bytes follow its last ones, up to the
/// size of a fragment. The claimed part of a run stays in the run, as the beginning of the fragment.
struct ReceivedChecksums: Sendable {
  struct Run: Sendable {
    let start: UInt64
    fileprivate(set) var end: UInt64
    /// The checksums of the complete blocks.
    fileprivate var checksums: [UInt64] = []
    /// The checksum of the block that is not complete yet.
    fileprivate var last = RangeChecksum()
    fileprivate var claimedEnd: UInt64

    fileprivate init(at start: UInt64) {
      self.start = start
      end = start
      claimedEnd = start
    }

    fileprivate func received(_ blockBytes: UInt64) -> ReceivedRange {
      let isWhole = (end - start) % blockBytes == 0
      return ReceivedRange(
        fragment: ChecksummedRange(
          start..<end, blockBytes: blockBytes, checksums: isWhole ? checksums : checksums + [last.value]),
        claimedEnd: claimedEnd)
    }

    /// - Parameter part: the range of `bytes` to add, which fits into the fragment.
    fileprivate mutating func add(_ bytes: [UInt8], _ part: Range<Int>, blockBytes: UInt64) {
      var position = part.lowerBound
      while position < part.upperBound {
        let missing = blockBytes - (end - start) % blockBytes
        let count = min(part.upperBound - position, Int(clamping: missing))
        last.update(bytes, position..<(position + count))
        position += count
        end += UInt64(count)
        guard UInt64(count) == missing else { continue }
        checksums.append(last.value)
        last = RangeChecksum()
      }
    }
  }

  /// The number of runs beyond which those with nothing to claim are forgotten. Bytes that follow a forgotten run begin
  /// a new fragment.
  private static let idleRuns = 16

  private let fragmentBytes: UInt64
  private let blockBytes: UInt64
  /// The runs, which do not overlap, in the order in which they last grew.
  private var runs: [Run] = []

  /// - Parameters:
  ///   - fragmentBytes: the size of one fragment, at most.
  ///   - blockBytes: the number of bytes that one checksum covers.
  init(fragmentBytes: UInt64, blockBytes: UInt64) {
    self.blockBytes = max(1, blockBytes)
    self.fragmentBytes = max(1, fragmentBytes)
  }

  /// The result of adding bytes to a run.
  struct Growth: Sendable {
    /// The range of the new bytes.
    let range: Range<UInt64>
    /// The range of the run before it grew; empty for a new run.
    fileprivate let former: Range<UInt64>
    /// The grown run, and new runs for the bytes beyond the size of a fragment.
    fileprivate let grown: [Run]
  }

  /// Returns the checksums of the bytes at an offset. The call takes time, so make it without holding a lock, and apply
  /// its result with `put` afterwards.
  ///
  /// - Parameter part: the range of `bytes` that belongs at `offset`, which is not empty.
  func growth(at offset: UInt64, by bytes: [UInt8], _ part: Range<Int>) -> Growth {
    let run = runs.last { $0.end == offset && $0.end - $0.start < fragmentBytes }
    return Growth(
      range: offset..<(offset + UInt64(part.count)), former: run.map { $0.start..<$0.end } ?? offset..<offset,
      grown: grown(run ?? Run(at: offset), by: bytes, part))
  }

  private func grown(_ run: Run, by bytes: [UInt8], _ part: Range<Int>) -> [Run] {
    var grown = [run]
    var position = part.lowerBound
    while position < part.upperBound {
      var last = grown.removeLast()
      let count = min(part.upperBound - position, Int(clamping: fragmentBytes - (last.end - last.start)))
      last.add(bytes, position..<(position + count), blockBytes: blockBytes)
      position += count
      grown.append(last)
      if position < part.upperBound { grown.append(Run(at: last.end)) }
    }
    return grown
  }

  /// Applies a result of `growth`. If the run that it extends was removed meanwhile, nothing is applied: the bytes then
  /// have no checksum, and cannot be claimed.
  mutating func put(_ growth: Growth) {
    var grown = growth.grown
    if !growth.former.isEmpty {
      guard let index = runs.lastIndex(where: { $0.start..<$0.end == growth.former }) else { return }
      grown[0].claimedEnd = runs[index].claimedEnd
      runs.remove(at: index)
    }
    runs += grown
    forgetIdle()
  }

  /// The runs with bytes that are not claimed yet, in order.
  var unclaimed: [ReceivedRange] {
    runs.filter { $0.claimedEnd < $0.end }.sorted { $0.start < $1.start }.map { $0.received(blockBytes) }
  }

  /// Records that fragments are in the index.
  mutating func claimed(_ fragments: [ReceivedRange]) {
    for fragment in fragments {
      let range = fragment.fragment.range
      // The run may have gone in the meantime, and another one may have begun at the same place.
      guard let index = runs.firstIndex(where: { $0.start == range.lowerBound && $0.end >= range.upperBound })
      else { continue }
      runs[index].claimedEnd = max(runs[index].claimedEnd, range.upperBound)
    }
    forgetIdle()
  }

  /// Forgets the runs that overlap a range whose bytes were lost or damaged. Their other bytes lose their checksums,
  /// too: those that are not claimed yet can no longer be claimed.
  mutating func forget(_ range: Range<UInt64>) { runs.removeAll { ($0.start..<$0.end).overlaps(range) } }

  mutating func forgetAll() { runs = [] }

  private mutating func forgetIdle() {
    runs.removeAll { $0.claimedEnd == $0.end && $0.end - $0.start >= fragmentBytes }
    while runs.count > Self.idleRuns, let index = runs.firstIndex(where: { $0.claimedEnd == $0.end }) {
      runs.remove(at: index)
    }
  }
}
