/// A store for the received bytes of versions. It is either the cache in its folder, with an index of its bytes, or a
/// download in one file, with a map beside it. A `CachedVersion` fetches and writes. The store decides whether there is
/// room, and which bytes are claimed.
protocol VersionStore: Sendable {
  /// Reserves room for a version to grow.
  ///
  /// - Parameters:
  ///   - bytes: the number of bytes that the version would like.
  ///   - needed: the number of bytes without which the version cannot continue.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) async -> Reservation

  /// Makes room on a full disk. All other stored data may be removed for it.
  ///
  /// - Parameter bytes: the number of bytes that are needed.
  /// - Returns: true if anything was removed.
  func giveUp(_ bytes: UInt64) async -> Bool

  /// Claims bytes that were synced to the disk: from now on they survive a crash of this process or of its machine.
  func commit(_ received: [ReceivedRange], to version: CachedVersion) async -> Claim

  /// Withdraws claims, so that the bytes may be overwritten.
  ///
  /// - Returns: the ranges that are no longer claimed; nil if the change could not be written, so that the claims
  ///   remain.
  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) async -> [Range<UInt64>]?

  /// Closes a version that is no longer held.
  ///
  /// - Returns: false if the version is held again in the meantime.
  func retire(_ version: CachedVersion) async -> Bool

  /// Keeps the sample index of a version beside it.
  ///
  /// - Returns: true if the index is kept.
  func keepIndex(_ bytes: [UInt8], of version: CachedVersion) async -> Bool

  /// Returns the file of a version's sample index, which has not been compared with its seal yet; nil if no index is
  /// kept.
  func openIndex(of version: CachedVersion) async -> (any CacheFile)?

  /// Removes a kept index that is of no use.
  func removeIndex(of version: CachedVersion) async

  /// Returns the robot's latest description of a version; nil if it is unknown.
  func item(of version: CachedVersion) async -> RobotRecording?
}

/// The defaults for a store that keeps only bytes, as a download does.
extension VersionStore {
  func keepIndex(_ bytes: [UInt8], of version: CachedVersion) async -> Bool { false }
  func openIndex(of version: CachedVersion) async -> (any CacheFile)? { nil }
  func removeIndex(of version: CachedVersion) async {}
  func item(of version: CachedVersion) async -> RobotRecording? { nil }
}

/// The outcome of a version's request for room.
enum Reservation: Hashable, Sendable {
  /// The room in bytes, which is at least what was needed.
  case granted(UInt64)
  case refused(FileFailure)
}

/// The outcome of an attempt to claim bytes.
enum Claim: Hashable, Sendable {
  /// All ranges are claimed, except for the refused ones. The bytes of the refused ranges must be fetched again, unless
  /// they were claimed before.
  case done(refused: [ReceivedRange])
  case failed(FileFailure)
}
