package import FootageSystem

/// An index of the bytes of versions that the cache claims to hold.
///
/// Each call is a transaction: it happens as a whole, and before the calls that follow it. An index belongs to one
/// owner, and its calls block.
package protocol RangeIndex: AnyObject {
  /// Returns all versions with their fragments, by number. Invalid entries are left out.
  func load() throws(SQLiteError) -> [Int64: CacheRecord]
  /// - Returns: the numbers of the records, in order. No version had these numbers before.
  func insert(_ records: [CacheRecord]) throws(SQLiteError) -> [Int64]
  /// Claims fragments.
  ///
  /// - Parameters:
  ///   - former: the fragments that are replaced. The new fragments claim the same bytes, and more.
  ///   - durably: true if this change, and all earlier ones, must survive a power cut once the call returns.
  func add(_ fragments: [ChecksummedRange], insteadOf former: [ChecksummedRange], to id: Int64, durably: Bool)
    throws(SQLiteError)
  /// Withdraws the claims on fragments, and claims the parts of them that remain, durably. The caller overwrites the
  /// freed bytes next, so a power cut after this call must not restore the old claims.
  func replace(_ fragments: [ChecksummedRange], by rests: [ChecksummedRange], of id: Int64) throws(SQLiteError)
  /// Writes everything about a version that may change: whether it is kept, its last use, and the robot's description.
  ///
  /// - Parameter durably: true if this change, and all earlier ones, must survive a power cut once the call returns.
  func update(_ record: CacheRecord, _ id: Int64, durably: Bool) throws(SQLiteError)
  /// Removes versions, with all claims on their bytes.
  func remove(_ ids: [Int64]) throws(SQLiteError)
}
