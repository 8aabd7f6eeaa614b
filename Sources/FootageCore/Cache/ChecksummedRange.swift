/// A fragment of a version: a durable range, with the checksum of each of its blocks. A damaged block does not affect
/// the others.
package struct ChecksummedRange: Hashable, Sendable {
  package struct Block: Hashable, Sendable {
    /// The range of the block, which is not empty.
    package let range: Range<UInt64>
    /// The XXH64 of the block's bytes.
    package let checksum: UInt64
  }

  /// The whole range, which is not empty.
  package let range: Range<UInt64>
  /// The blocks of the range, in order and without gaps.
  package let blocks: [Block]

  /// Creates a fragment of one block.
  package init(_ range: Range<UInt64>, checksum: UInt64) {
    self.range = range
    blocks = [Block(range: range, checksum: checksum)]
  }

  /// Creates a fragment of blocks of the same size. The last block may be shorter.
  ///
  /// - Parameter checksums: one for each block.
  package init(_ range: Range<UInt64>, blockBytes: UInt64, checksums: [UInt64]) {
    self.range = range
    var (blocks, start): ([Block], UInt64) = ([], range.lowerBound)
    for checksum in checksums {
      let end = start + min(max(1, blockBytes), range.upperBound - start)
      blocks.append(Block(range: start..<end, checksum: checksum))
      start = end
    }
    self.blocks = blocks
  }

  /// - Parameter blocks: at least one block, in order and without gaps.
  init(_ blocks: [Block]) {
    range = (blocks.first?.range.lowerBound ?? 0)..<(blocks.last?.range.upperBound ?? 0)
    self.blocks = blocks
  }

  var checksums: [UInt64] { blocks.map(\.checksum) }

  /// True if there is a checksum for every byte of the range, and for no other byte.
  var isSound: Bool {
    var end = range.lowerBound
    for block in blocks {
      guard block.range.lowerBound == end, !block.range.isEmpty else { return false }
      end = block.range.upperBound
    }
    return end == range.upperBound && !blocks.isEmpty
  }

  /// Returns the blocks that overlap a range, in order.
  package func blocks(in wanted: Range<UInt64>) -> [Block] { blocks.filter { $0.range.overlaps(wanted) } }

  /// Returns the fragments that remain when the blocks that overlap `dropped` are removed.
  func without(_ dropped: Range<UInt64>) -> [ChecksummedRange] {
    guard !blocks(in: dropped).isEmpty else { return [self] }
    let rests = [
      blocks.filter { $0.range.upperBound <= dropped.lowerBound },
      blocks.filter { $0.range.lowerBound >= dropped.upperBound },
    ]
    return rests.filter { !$0.isEmpty }.map { ChecksummedRange($0) }
  }

  /// Returns this fragment joined with the one that follows it.
  func joined(with next: ChecksummedRange) -> ChecksummedRange { ChecksummedRange(blocks + next.blocks) }
}

/// The claimed ranges of a version, in order and without overlaps.
extension [ChecksummedRange] {
  /// - Returns: the ranges in order; nil if the new range overlaps a claimed range without continuing it from one of
  ///   its block boundaries.
  func adding(_ new: ReceivedRange) -> [ChecksummedRange]? {
    let range = new.fragment.range
    var rest = filter { !$0.range.overlaps(range) }
    let hit = filter { $0.range.overlaps(range) }
    if new.claimedEnd == range.lowerBound {
      guard hit.isEmpty else { return nil }
      rest.append(new.fragment)
    } else {
      guard hit.count == 1, let known = hit.first, known.range.upperBound == new.claimedEnd,
        known.range.lowerBound == range.lowerBound
          || known.blocks.contains(where: { $0.range.lowerBound == range.lowerBound })
      else { return nil }
      rest.append(
        ChecksummedRange(known.blocks.filter { $0.range.upperBound <= range.lowerBound } + new.fragment.blocks))
    }
    return rest.sorted { $0.range.lowerBound < $1.range.lowerBound }
  }

  /// Returns the ranges with adjacent ones joined.
  ///
  /// - Parameter limit: the size of a joined range, at most, in bytes.
  func joined(upTo limit: UInt64) -> [ChecksummedRange] {
    var joined: [ChecksummedRange] = []
    for next in self {
      if let last = joined.last, last.range.upperBound == next.range.lowerBound,
        next.range.upperBound - last.range.lowerBound <= limit
      {
        joined[joined.count - 1] = last.joined(with: next)
      } else {
        joined.append(next)
      }
    }
    return joined
  }
}
