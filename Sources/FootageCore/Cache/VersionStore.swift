/// Keeps what came of versions: the cache in its folder, with an index that says what is there of which, or a download
/// in one file, with a map beside it. A `CachedVersion` fetches and writes; where there is room, and what is claimed,
/// is said here.
protocol VersionStore: Sendable {
  /// Gives a version room to grow.
  ///
  /// - Parameters:
  ///   - bytes: that it would like.
  ///   - needed: without which it cannot go on.
  func reserve(_ bytes: UInt64, atLeast needed: UInt64, for version: CachedVersion) async -> Reservation

  /// The disk is full: whatever else is kept may go.
  ///
  /// - Parameter bytes: that are needed.
  /// - Returns: whether anything has gone.
  func giveUp(_ bytes: UInt64) async -> Bool

  /// Claims bytes, which were synced: from now on they are there, whatever happens to this process or its machine.
  func commit(_ received: [ReceivedRange], to version: CachedVersion) async -> Claim

  /// Takes back claims: what is claimed is never written over.
  ///
  /// - Returns: all that is no longer claimed; nil where that could not be written, so that the claims stand.
  func unclaim(_ range: Range<UInt64>, of version: CachedVersion) async -> [Range<UInt64>]?

  /// Puts a version away that nobody holds any more.
  ///
  /// - Returns: false where somebody has taken it up again meanwhile.
  func retire(_ version: CachedVersion) async -> Bool

  /// Keeps the sample index of a version with it.
  ///
  /// - Returns: whether it is kept.
  func keepIndex(_ bytes: [UInt8], of version: CachedVersion) async -> Bool

  /// The file of a version's sample index, not compared with its seal yet; nil where none is kept.
  func openIndex(of version: CachedVersion) async -> (any CacheFile)?

  /// A kept index is of no use.
  func removeIndex(of version: CachedVersion) async

  /// What the robot said of a version when it last did; nil where nobody heard it.
  func item(of version: CachedVersion) async -> RobotRecording?
}

/// What keeps bytes alone, as a download does.
extension VersionStore {
  func keepIndex(_ bytes: [UInt8], of version: CachedVersion) async -> Bool { false }
  func openIndex(of version: CachedVersion) async -> (any CacheFile)? { nil }
  func removeIndex(of version: CachedVersion) async {}
  func item(of version: CachedVersion) async -> RobotRecording? { nil }
}

/// What a version gets of the room that it would like.
enum Reservation: Hashable, Sendable {
  /// At least what was needed, in bytes.
  case granted(UInt64)
  case refused(FileFailure)
}

/// What came of an attempt to claim bytes.
enum Claim: Hashable, Sendable {
  /// All but these are claimed. What was to be claimed of these has to come again.
  case done(refused: [ReceivedRange])
  case failed(FileFailure)
}
