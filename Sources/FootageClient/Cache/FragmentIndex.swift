/// Which bytes of which versions the cache claims to hold.

package import SQLite

/// Durable bytes of a version, with what they have to hash to.
package struct Fragment: Hashable, Sendable {
  /// Not empty.
  package let range: Range<UInt64>
  /// XXH64 of its bytes.
  package let checksum: UInt64

  package init(_ range: Range<UInt64>, checksum: UInt64) {
    self.range = range
    self.checksum = checksum
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
  /// In order; no two overlap.
  package var fragments: [Fragment]

  package init(
    key: RecordingKey, version: RecordingVersion, stem: String, isKept: Bool = false, lastUse: Int64 = 0,
    fragments: [Fragment] = []
  ) {
    self.key = key
    self.version = version
    self.stem = stem
    self.isKept = isKept
    self.lastUse = lastUse
    self.fragments = fragments
  }

  package var claimed: RangeSet { RangeSet(fragments.map(\.range)) }
  package var isComplete: Bool { claimed.contains(0..<version.length) }
}

/// Each call is a transaction: it happens as a whole, and before those that follow it. Belongs to one owner; blocks.
package protocol FragmentIndex: AnyObject {
  /// All versions with their fragments, by number; what makes no sense is left out.
  func load() throws(SQLiteError) -> [Int64: CacheRecord]
  /// - Returns: their numbers, in order, which no version had before.
  func insert(_ records: [CacheRecord]) throws(SQLiteError) -> [Int64]
  func add(_ fragments: [Fragment], to id: Int64) throws(SQLiteError)
  /// Takes claims back, durably: their bytes are written over next, and a power cut must not bring the claims back then.
  func remove(_ fragments: [Fragment], from id: Int64) throws(SQLiteError)
  /// Writes what may change of a version: kept or not, and its last use.
  func update(_ record: CacheRecord, _ id: Int64) throws(SQLiteError)
  /// Removes versions with all that is claimed of them.
  func remove(_ ids: [Int64]) throws(SQLiteError)
}
