internal import FootageBase

/// What of a version is in its file, and whether more can be put there.
struct VersionContents: Sendable {
  private var ranges: VersionRanges
  /// Why nothing is stored.
  private(set) var problem: (reason: FileFailure, since: Duration)?
  /// False once it is not to be tried again.
  private var mayStore: Bool
  private var readFailureCount = 0

  /// - Parameter problem: why nothing can be stored, ever.
  init(length: UInt64, durable: RangeSet, limits: MediaCacheLimits, problem: FileFailure?) {
    mayStore = problem == nil
    self.problem = problem.map { ($0, .zero) }
    ranges = VersionRanges(length: length, durable: durable, limits: limits)
  }

  /// In the file, but perhaps not yet for good.
  var available: RangeSet { ranges.available }
  /// In the file for good, and claimed.
  var durable: RangeSet { ranges.durable }
  var isComplete: Bool { ranges.isComplete }
  var isStoring: Bool { problem == nil }
  /// Whether there is nothing to make durable, or no use in trying.
  var isAtRest: Bool { ranges.isAtRest }

  /// Somebody begins to read: a reason to try again what failed some time ago.
  mutating func readerCame(now: Duration, _ limits: MediaCacheLimits) {
    guard mayStore, let problem, now - problem.since >= limits.storeAgain else { return }
    self.problem = nil
    ranges.tryAgain()
    readFailureCount = 0
  }

  /// Bytes came.
  mutating func insert(_ range: Range<UInt64>, now: Duration) { ranges.insert(range, now: now) }

  /// Nothing more can be stored.
  mutating func failed(_ reason: FileFailure, now: Duration) { problem = (reason, now) }

  /// Bytes that should have been in the file could not be read.
  ///
  /// - Parameter unclaimed: what the index no longer claims, of which the bytes may still be good; nil where it still
  ///   claims all of it. Then nothing is stored any more: it would be written over what is claimed.
  /// - Returns: whether nothing more is stored because of it.
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

  /// Bytes in the file are not those that came.
  mutating func drop(_ range: Range<UInt64>) {
    ranges.remove(range)
    ranges.unclaim(range)
  }

  // MARK: Durability

  /// - Parameter isUrgent: whether nothing is gained by waiting for more.
  func isCommitDue(isUrgent: Bool, now: Duration) -> Bool {
    // What is in the file is worth keeping even where nothing more can be added.
    ranges.isCommitDue(isUrgent: isUrgent || !isStoring, now: now)
  }

  /// Takes what is to be made durable now; empty where that is under way already, or nothing is there.
  mutating func beginCommit() -> RangeSet { ranges.beginCommit() }

  /// It is claimed.
  mutating func committed(now: Duration) { ranges.committed(now: now) }

  /// The file could not be synced.
  mutating func syncFailed(_ reason: FileFailure, now: Duration) {
    ranges.syncFailed()
    failed(reason, now: now)
  }

  /// The claim could not be written.
  ///
  /// - Returns: whether nothing more is stored because of it.
  mutating func commitFailed(_ reason: FileFailure, now: Duration) -> Bool {
    ranges.commitFailed(now: now)
    guard ranges.isGivenUp else { return false }
    failed(reason, now: now)
    return true
  }
}
