/// Bytes that were received in a row, with their checksums, as they are to be claimed.
struct ReceivedRange: Hashable, Sendable {
  let fragment: ChecksummedRange
  /// Up to where the fragment is claimed already; its start where nothing of it is.
  let claimedEnd: UInt64
}

/// Checksums of a version's bytes as they came: they are never made of what a disk gives back.
///
/// A run for each place at which bytes come. A run grows as long as the next bytes follow its last ones, up to the size
/// of a fragment; what it had claimed stays the beginning of its fragment.
struct ReceivedChecksums: Sendable {
  struct Run: Sendable {
    let start: UInt64
    fileprivate(set) var end: UInt64
    /// Of whole blocks.
    fileprivate var checksums: [UInt64] = []
    /// Of the block that is not whole yet.
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

    /// - Parameter part: of `bytes`, of which none goes beyond the fragment's size.
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

  /// Runs that have nothing to claim are forgotten beyond so many: what follows them begins a fragment of its own.
  private static let idleRuns = 16

  private let fragmentBytes: UInt64
  private let blockBytes: UInt64
  /// The one that grew last comes last. No two overlap.
  private var runs: [Run] = []

  /// - Parameters:
  ///   - fragmentBytes: of one fragment, at most.
  ///   - blockBytes: what one checksum covers.
  init(fragmentBytes: UInt64, blockBytes: UInt64) {
    self.blockBytes = max(1, blockBytes)
    self.fragmentBytes = max(1, fragmentBytes)
  }

  /// What becomes of a run with more bytes.
  struct Growth: Sendable {
    /// Of the new bytes.
    let range: Range<UInt64>
    /// Where the run began and ended before; empty for a new one.
    fileprivate let former: Range<UInt64>
    /// It itself, and those that begin where it is full.
    fileprivate let grown: [Run]
  }

  /// The checksums of bytes that follow. To be made without holding up anybody, and put in afterwards.
  ///
  /// - Parameter part: of `bytes`, not empty, those that belong at `offset`.
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

  /// Puts in what `growth` made. Where the run that it grew from has gone meanwhile, what is put in is nothing: the
  /// bytes have no checksum then, and cannot be claimed.
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

  /// All that is not claimed yet, in order.
  var unclaimed: [ReceivedRange] {
    runs.filter { $0.claimedEnd < $0.end }.sorted { $0.start < $1.start }.map { $0.received(blockBytes) }
  }

  /// Fragments are in the index.
  mutating func claimed(_ fragments: [ReceivedRange]) {
    for fragment in fragments {
      let range = fragment.fragment.range
      // It may have gone meanwhile, and another have begun where it did.
      guard let index = runs.firstIndex(where: { $0.start == range.lowerBound && $0.end >= range.upperBound })
      else { continue }
      runs[index].claimedEnd = max(runs[index].claimedEnd, range.upperBound)
    }
    forgetIdle()
  }

  /// The bytes of a range are no longer there, or not as they came. What else has no checksum any more then, and was
  /// not claimed, cannot be.
  mutating func forget(_ range: Range<UInt64>) { runs.removeAll { ($0.start..<$0.end).overlaps(range) } }

  mutating func forgetAll() { runs = [] }

  private mutating func forgetIdle() {
    runs.removeAll { $0.claimedEnd == $0.end && $0.end - $0.start >= fragmentBytes }
    while runs.count > Self.idleRuns, let index = runs.firstIndex(where: { $0.claimedEnd == $0.end }) {
      runs.remove(at: index)
    }
  }
}
