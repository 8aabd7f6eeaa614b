internal import FootageBase

/// The bytes of a version that are in its file, and those of them that are claimed. The type decides when the unclaimed
/// bytes are made durable.
struct VersionRanges: Sendable {
  /// The bytes that are in the file, though perhaps not durably yet.
  private(set) var available: RangeSet
  /// The bytes that are durably in the file, and claimed.
  private(set) var durable: RangeSet
  /// The bytes that were received, and are not claimed yet.
  private(set) var pending = RangeSet()
  /// The bytes that are just being made durable.
  private(set) var committing = RangeSet()
  private var pendingSince: Duration?
  /// The number of claims in a row that could not be written.
  private var failures = 0
  private let length: UInt64
  private let limits: MediaCacheLimits

  /// The number of disk failures in a row after which nothing more is tried.
  static let tries = 3

  init(length: UInt64, durable: RangeSet, limits: MediaCacheLimits) {
    self.length = length
    self.limits = limits
    self.durable = durable
    available = durable
  }

  var isComplete: Bool { durable.contains(0..<length) }
  /// True if there is nothing to make durable, or it is useless to try.
  var isAtRest: Bool { committing.isEmpty && (pending.isEmpty || isGivenUp) }
  var isGivenUp: Bool { failures >= Self.tries }

  /// Records that bytes are in the file.
  mutating func insert(_ range: Range<UInt64>, now: Duration) {
    available.insert(range)
    for gap in durable.gaps(in: range) { pending.insert(gap) }
    if !pending.isEmpty { pendingSince = pendingSince ?? now }
  }

  /// Records that bytes are lost, or differ from those that were received. The index may still claim them.
  mutating func remove(_ range: Range<UInt64>) {
    available.remove(range)
    pending.remove(range)
  }

  /// Records that the index no longer claims a range. The intact bytes in the range may be claimed again.
  mutating func unclaim(_ range: Range<UInt64>) {
    durable.remove(range)
    findPending()
  }

  /// - Parameter isUrgent: true if the commit should not wait for more bytes.
  func isCommitDue(isUrgent: Bool, now: Duration) -> Bool {
    guard committing.isEmpty, !pending.isEmpty, !isGivenUp else { return false }
    let isOld = pendingSince.map { now - $0 >= limits.commitDelay } ?? false
    guard failures == 0 else { return isOld }
    return isOld || isUrgent || pending.byteCount >= limits.commitBytes || available.contains(0..<length)
  }

  /// Begins a commit, and returns the bytes to make durable. The result is empty if a commit is already running, or
  /// there is nothing to commit.
  mutating func beginCommit() -> RangeSet {
    guard committing.isEmpty else { return RangeSet() }
    committing = pending
    pendingSince = nil
    return committing
  }

  mutating func committed(now: Duration) {
    durable.formUnion(committing)
    committing = RangeSet()
    failures = 0
    findPending()
    pendingSince = pending.isEmpty ? nil : pendingSince ?? now
  }

  /// Records that the file could not be synced: none of the bytes that were written since the last sync is certain to
  /// be durable.
  mutating func syncFailed() {
    available = durable
    pending = RangeSet()
    committing = RangeSet()
    pendingSince = nil
  }

  /// Records that the claim could not be written. The bytes are intact, and may be claimed later.
  mutating func commitFailed(now: Duration) {
    committing = RangeSet()
    pendingSince = now
    failures += 1
  }

  /// Forgets the failures, because the disk may work again.
  mutating func tryAgain() { failures = 0 }

  private mutating func findPending() {
    pending = available
    pending.subtract(durable)
  }
}
