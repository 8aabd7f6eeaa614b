/// Which bytes of which versions the cache claims to hold.

package import Formats
package import SQLite

/// Durable bytes of a version, with what they have to hash to, block by block: what is found damaged is a block.
package struct ChecksummedRange: Hashable, Sendable {
  package struct Block: Hashable, Sendable {
    /// Not empty.
    package let range: Range<UInt64>
    /// XXH64 of its bytes.
    package let checksum: UInt64
  }

  /// Not empty.
  package let range: Range<UInt64>
  /// In order and without gaps, they are the range.
  package let blocks: [Block]

  /// A fragment of one block.
  package init(_ range: Range<UInt64>, checksum: UInt64) {
    self.range = range
    blocks = [Block(range: range, checksum: checksum)]
  }

  /// A fragment of blocks of a size, of which the last may be shorter.
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

  /// - Parameter blocks: not none, in order and without gaps.
  init(_ blocks: [Block]) {
    range = (blocks.first?.range.lowerBound ?? 0)..<(blocks.last?.range.upperBound ?? 0)
    self.blocks = blocks
  }

  var checksums: [UInt64] { blocks.map(\.checksum) }

  /// Whether there is a checksum for every byte, and none for others.
  var isSound: Bool {
    var end = range.lowerBound
    for block in blocks {
      guard block.range.lowerBound == end, !block.range.isEmpty else { return false }
      end = block.range.upperBound
    }
    return end == range.upperBound && !blocks.isEmpty
  }

  /// The blocks that have bytes in a range, in order.
  package func blocks(in wanted: Range<UInt64>) -> [Block] { blocks.filter { $0.range.overlaps(wanted) } }

  /// What is left of it without the blocks that have bytes in a range.
  func without(_ dropped: Range<UInt64>) -> [ChecksummedRange] {
    guard !blocks(in: dropped).isEmpty else { return [self] }
    let rests = [
      blocks.filter { $0.range.upperBound <= dropped.lowerBound },
      blocks.filter { $0.range.lowerBound >= dropped.upperBound },
    ]
    return rests.filter { !$0.isEmpty }.map { ChecksummedRange($0) }
  }

  /// With what follows it.
  func joined(with next: ChecksummedRange) -> ChecksummedRange { ChecksummedRange(blocks + next.blocks) }
}

/// A version as the index has it.
package struct CacheRecord: Hashable, Sendable {
  package let key: RecordingKey
  package let version: RecordingVersion
  /// What its file is called, without the ending.
  package let stem: String
  /// Not to make room for others.
  package var isKept: Bool
  /// The larger, the later it was used.
  package var lastUse: Int64
  /// What the robot said of the recording, as JSON; nil where that is not known.
  package var item: String?
  /// In order; no two overlap.
  package var fragments: [ChecksummedRange] {
    didSet { claimed = RangeSet(fragments.map(\.range)) }
  }
  /// The bytes of its fragments.
  package private(set) var claimed: RangeSet

  package init(
    key: RecordingKey, version: RecordingVersion, stem: String, isKept: Bool = false, lastUse: Int64 = 0,
    item: String? = nil, fragments: [ChecksummedRange] = []
  ) {
    self.key = key
    self.version = version
    self.stem = stem
    self.isKept = isKept
    self.lastUse = lastUse
    self.item = item
    self.fragments = fragments
    claimed = RangeSet(fragments.map(\.range))
  }

  package var isComplete: Bool { claimed.contains(0..<version.length) }
}

/// Each call is a transaction: it happens as a whole, and before those that follow it. Belongs to one owner; blocks.
package protocol RangeIndex: AnyObject {
  /// All versions with their fragments, by number; what makes no sense is left out.
  func load() throws(SQLiteError) -> [Int64: CacheRecord]
  /// - Returns: their numbers, in order, which no version had before.
  func insert(_ records: [CacheRecord]) throws(SQLiteError) -> [Int64]
  /// Claims fragments.
  ///
  /// - Parameters:
  ///   - former: those that they take the place of; all that these claim, they do.
  ///   - durably: whether this, and all before it, survives a power cut once it returns.
  func add(_ fragments: [ChecksummedRange], insteadOf former: [ChecksummedRange], to id: Int64, durably: Bool)
    throws(SQLiteError)
  /// Takes fragments back and claims what is left of them, durably: bytes are written over next, and a power cut must not
  /// bring their claims back then.
  func replace(_ fragments: [ChecksummedRange], by rests: [ChecksummedRange], of id: Int64) throws(SQLiteError)
  /// Writes what may change of a version: kept or not, its last use, and what the robot said of it.
  ///
  /// - Parameter durably: whether this, and all before it, survives a power cut once it returns.
  func update(_ record: CacheRecord, _ id: Int64, durably: Bool) throws(SQLiteError)
  /// Removes versions with all that is claimed of them.
  func remove(_ ids: [Int64]) throws(SQLiteError)
}
