/// Which bytes of which versions the cache claims to hold.

package import SQLite

/// Durable bytes of a version, with what they have to hash to, block by block: what is found damaged is a block.
package struct Fragment: Hashable, Sendable {
  /// Not empty.
  package let range: Range<UInt64>
  /// What one checksum covers, in bytes, at least 1; the last block may be shorter.
  package let blockBytes: UInt64
  /// XXH64 of each block, in order.
  package let checksums: [UInt64]

  /// A fragment of one block.
  package init(_ range: Range<UInt64>, checksum: UInt64) {
    self.init(range, blockBytes: range.upperBound - range.lowerBound, checksums: [checksum])
  }

  /// - Parameter checksums: one for each block.
  package init(_ range: Range<UInt64>, blockBytes: UInt64, checksums: [UInt64]) {
    self.range = range
    // One block is as long as it is: the same in the index and here.
    self.blockBytes = checksums.count == 1 ? max(1, range.upperBound - range.lowerBound) : max(1, blockBytes)
    self.checksums = checksums
  }

  /// Whether there is a checksum for every byte, and none for others.
  var isSound: Bool {
    guard !range.isEmpty, !checksums.isEmpty else { return false }
    return (range.upperBound - range.lowerBound - 1) / blockBytes + 1 == UInt64(checksums.count)
  }

  package struct Block: Hashable, Sendable {
    package let range: Range<UInt64>
    package let checksum: UInt64
  }

  /// The blocks that have bytes in a range, in order.
  package func blocks(in wanted: Range<UInt64>) -> [Block] {
    let wanted = wanted.clamped(to: range)
    guard !wanted.isEmpty else { return [] }
    let first = (wanted.lowerBound - range.lowerBound) / blockBytes
    let last = (wanted.upperBound - 1 - range.lowerBound) / blockBytes
    return (first...last).compactMap { number in
      guard number < UInt64(checksums.count) else { return nil }
      let start = range.lowerBound + number * blockBytes
      return Block(
        range: start..<(start + min(blockBytes, range.upperBound - start)), checksum: checksums[Int(number)])
    }
  }

  /// What is left of it without the blocks that have bytes in a range.
  func without(_ dropped: Range<UInt64>) -> [Fragment] {
    let gone = blocks(in: dropped)
    guard let first = gone.first, let last = gone.last else { return [self] }
    let before = (first.range.lowerBound - range.lowerBound) / blockBytes
    let rests = [
      Fragment(
        range.lowerBound..<first.range.lowerBound, blockBytes: blockBytes,
        checksums: Array(checksums.prefix(Int(before)))),
      Fragment(
        last.range.upperBound..<range.upperBound, blockBytes: blockBytes,
        checksums: Array(checksums.dropFirst(Int(before) + gone.count))),
    ]
    return rests.filter { !$0.range.isEmpty }
  }
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
  package var fragments: [Fragment] {
    didSet { claimed = RangeSet(fragments.map(\.range)) }
  }
  /// The bytes of its fragments.
  package private(set) var claimed: RangeSet

  package init(
    key: RecordingKey, version: RecordingVersion, stem: String, isKept: Bool = false, lastUse: Int64 = 0,
    item: String? = nil, fragments: [Fragment] = []
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
package protocol FragmentIndex: AnyObject {
  /// All versions with their fragments, by number; what makes no sense is left out.
  func load() throws(SQLiteError) -> [Int64: CacheRecord]
  /// - Returns: their numbers, in order, which no version had before.
  func insert(_ records: [CacheRecord]) throws(SQLiteError) -> [Int64]
  /// Claims fragments; one takes the place of the one that begins where it does.
  ///
  /// - Parameter durably: whether this, and all before it, survives a power cut once it returns.
  func add(_ fragments: [Fragment], to id: Int64, durably: Bool) throws(SQLiteError)
  /// Takes fragments back and claims what is left of them, durably: bytes are written over next, and a power cut must not
  /// bring their claims back then.
  func replace(_ fragments: [Fragment], by rests: [Fragment], of id: Int64) throws(SQLiteError)
  /// Writes what may change of a version: kept or not, its last use, and what the robot said of it.
  ///
  /// - Parameter durably: whether this, and all before it, survives a power cut once it returns.
  func update(_ record: CacheRecord, _ id: Int64, durably: Bool) throws(SQLiteError)
  /// Removes versions with all that is claimed of them.
  func remove(_ ids: [Int64]) throws(SQLiteError)
}
