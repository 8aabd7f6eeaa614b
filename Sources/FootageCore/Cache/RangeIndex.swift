package import FootageSystem

/// Which bytes of which versions the cache claims to hold.
///
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
  /// Takes fragments back and claims what is left of them, durably: bytes are written over next, and a power cut must
  /// not bring their claims back then.
  func replace(_ fragments: [ChecksummedRange], by rests: [ChecksummedRange], of id: Int64) throws(SQLiteError)
  /// Writes what may change of a version: kept or not, its last use, and what the robot said of it.
  ///
  /// - Parameter durably: whether this, and all before it, survives a power cut once it returns.
  func update(_ record: CacheRecord, _ id: Int64, durably: Bool) throws(SQLiteError)
  /// Removes versions with all that is claimed of them.
  func remove(_ ids: [Int64]) throws(SQLiteError)
}
