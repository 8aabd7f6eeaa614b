internal import FootageBase

/// The contents of a version's file, and whether more can be stored in it.
struct VersionContents: Sendable {
  private var ranges: VersionRanges
  /// The reason why nothing is stored, and the time of the failure; nil while bytes are stored.
  private(set) var problem: (reason: FileFailure, since: Duration)?
  /// False once another attempt to store is useless.
  private var mayStore: Bool
  private var readFailureCount = 0

  /// - Parameter problem: the reason why nothing can ever be stored; nil if there is none.
  init(length: UInt64, durable: RangeSet, limits: MediaCacheLimits, problem: FileFailure?) {
    mayStore = problem == nil
    self.problem = problem.map { ($0, .zero) }
    ranges = VersionRanges(length: length, durable: durable, limits: limits)
  }

  /// The bytes that are in the file, though perhaps not durably yet.
  var available: RangeSet { ranges.available }
  /// The bytes that are durably in the file, and claimed.
  var durable: RangeSet { ranges.durable }
  var isComplete: Bool { ranges.isComplete }
  var isStoring: Bool { problem == nil }
  /// True if there is nothing to make durable, or it is useless to try.
  var isAtRest: Bool { ranges.isAtRest }

  /// Records a new reader. If storing failed some time ago, it is then tried again.
  mutating func readerCame(now: Duration, _ limits: MediaCacheLimits) {
    guard mayStore, let problem, now - problem.since >= limits.storeAgain else { return }
    self.problem = nil
    ranges.tryAgain()
    readFailureCount = 0
  }

  /// Records that bytes are in the file.
  mutating func insert(_ range: Range<UInt64>, now: Duration) { ranges.insert(range, now: now) }

  /// Records that nothing more can be stored.
  mutating func failed(_ reason: FileFailure, now: Duration) { problem = (reason, now) }

  /// Records that bytes that should have been in the file could not be read.
  ///
  /// - Parameter unclaimed: the ranges that the index no longer claims, whose bytes may still be intact; nil if it
  ///   still claims all of the range. In that case nothing more is stored, because it would overwrite claimed bytes.
  /// - Returns: true if nothing more is stored because of the failure.
  mutating func readFailed(
    _ range: Range<UInt64>, _ reason: FileFailure, unclaimed: [Range<UInt64>]?, now: Duration
  ) -> Bool {
    ranges.remove(range)
    guard let unclaimed else {
      mayStore = false
      failed(reason, now: now)
      return true
    }
    for range in unclaimed + [range] { ranges.unclaim(range) }
    readFailureCount += 1
    guard readFailureCount >= VersionRanges.tries else { return false }
    failed(reason, now: now)
    return true
  }

  /// Gives up bytes in the file that differ from those that were received.
  mutating func drop(_ range: Range<UInt64>) {
    ranges.remove(range)
    ranges.unclaim(range)
  }

  // MARK: Durability

  /// - Parameter isUrgent: true if the commit should not wait for more bytes.
  func isCommitDue(isUrgent: Bool, now: Duration) -> Bool {
    // The bytes in the file are worth keeping even if nothing more can be added.
    ranges.isCommitDue(isUrgent: isUrgent || !isStoring, now: now)
  }

  /// Begins a commit, and returns the bytes to make durable. The result is empty if a commit is already running, or
  /// there is nothing to commit.
  mutating func beginCommit() -> RangeSet { ranges.beginCommit() }

  /// Records that the bytes of the commit are claimed.
  mutating func committed(now: Duration) { ranges.committed(now: now) }

  /// Records that the file could not be synced.
  mutating func syncFailed(_ reason: FileFailure, now: Duration) {
    ranges.syncFailed()
    failed(reason, now: now)
  }

  /// Records that the claim could not be written.
  ///
  /// - Returns: true if nothing more is stored because of the failure.
  mutating func commitFailed(_ reason: FileFailure, now: Duration) -> Bool {
    ranges.commitFailed(now: now)
    guard ranges.isGivenUp else { return false }
    failed(reason, now: now)
    return true
  }
}
