internal import FootageBase

/// Which bytes of a version are in its file and which of them are claimed, and when the others are to be made durable.
struct VersionRanges: Sendable {
  /// In the file, but perhaps not yet for good.
  private(set) var available: RangeSet
  /// In the file for good, and claimed.
  private(set) var durable: RangeSet
  /// Received, and not yet claimed.
  private(set) var pending = RangeSet()
  /// Being made durable just now.
  private(set) var committing = RangeSet()
  private var pendingSince: Duration?
  /// Of claims that could not be written, in a row.
  private var failures = 0
  private let length: UInt64
  private let limits: MediaCacheLimits

  /// Failures of the disk in a row after which it is let be.
  static let tries = 3

  init(length: UInt64, durable: RangeSet, limits: MediaCacheLimits) {
    self.length = length
    self.limits = limits
    self.durable = durable
    available = durable
  }

  var isComplete: Bool { durable.contains(0..<length) }
  /// Whether there is nothing to make durable, or no use in trying.
  var isAtRest: Bool { committing.isEmpty && (pending.isEmpty || isGivenUp) }
  var isGivenUp: Bool { failures >= Self.tries }

  /// Bytes came.
  mutating func insert(_ range: Range<UInt64>, now: Duration) {
    available.insert(range)
    for gap in durable.gaps(in: range) { pending.insert(gap) }
    if !pending.isEmpty { pendingSince = pendingSince ?? now }
  }

  /// Bytes are not there any more, or are not those that came, though they may still be claimed.
  mutating func remove(_ range: Range<UInt64>) {
    available.remove(range)
    pending.remove(range)
  }

  /// A range is no longer claimed. What of its bytes is good may be claimed anew.
  mutating func unclaim(_ range: Range<UInt64>) {
    durable.remove(range)
    findPending()
  }

  /// - Parameter isUrgent: whether nothing is gained by waiting for more.
  func isCommitDue(isUrgent: Bool, now: Duration) -> Bool {
    guard committing.isEmpty, !pending.isEmpty, !isGivenUp else { return false }
    let isOld = pendingSince.map { now - $0 >= limits.commitDelay } ?? false
    guard failures == 0 else { return isOld }
    return isOld || isUrgent || pending.byteCount >= limits.commitBytes || available.contains(0..<length)
  }

  /// Takes what is to be made durable now; empty where that is under way already, or nothing is there.
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

  /// The file could not be synced: nothing of what was written since the last time can be relied upon.
  mutating func syncFailed() {
    available = durable
    pending = RangeSet()
    committing = RangeSet()
    pendingSince = nil
  }

  /// The claim could not be written: the bytes are good, and may be claimed later.
  mutating func commitFailed(now: Duration) {
    committing = RangeSet()
    pendingSince = now
    failures += 1
  }

  /// The disk may be well again.
  mutating func tryAgain() { failures = 0 }

  private mutating func findPending() {
    pending = available
    pending.subtract(durable)
  }
}
