/// A store for the received bytes of versions. It is either the cache in its folder, with an index of what is there, or
/// a download in one file, with a map beside it. A `CachedVersion` fetches and writes. The store decides whether there
/// is room, and which bytes are claimed.
protocol VersionStore: Sendable {
  /// Gives a version room to grow.
  ///
  /// - Parameters:
  ///   - bytes: the number of bytes that the version would like.
  ///   - needed: the number of bytes without which the version cannot continue.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) async -> Reservation

  /// Makes room on a full disk. Everything else that is stored may go for it.
  ///
  /// - Parameter bytes: the number of bytes that are needed.
  /// - Returns: true if anything was removed.
  func giveUp(_ bytes: UInt64) async -> Bool

  /// Claims bytes that were synced: from now on they are there, whatever happens to this process or its machine.
  func commit(_ received: [ReceivedRange], to version: CachedVersion) async -> Claim

  /// Takes back claims, because claimed bytes are never written over.
  ///
  /// - Returns: the ranges that are no longer claimed; nil if the change could not be written, so that the claims
  ///   stand.
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
  /// All ranges but these are claimed. The bytes of these that were to be claimed have to come again.
  case done(refused: [ReceivedRange])
  case failed(FileFailure)
}
