/// Whether deleting frees anything: no input or output.
///
/// It is measured by all that holds nothing on the disk, and not by what is available: where the superuser's reserve is
/// in use, that stays 0 until the reserve is given back.
///
/// A file system may free what was deleted a while later, so that after a deletion that seems to have freed nothing the next
/// one waits for another look.
struct RetentionProgress: Hashable {
  /// Deletions in a row that freed nothing.
  private(set) var idleCount = 0
  /// What was free before the first of them, and before the last one.
  private var freeBefore: (first: UInt64, last: UInt64)?
  /// What could not be deleted, in a row, and what was said of the last one.
  private(set) var failureCount = 0
  private(set) var failure: String?
  /// Whether the last one failed for a reason that holds for the whole disk, so that others need not be tried.
  private(set) var isDiskFailing = false

  static let limit = 10

  static func == (one: RetentionProgress, other: RetentionProgress) -> Bool {
    one.idleCount == other.idleCount && one.failureCount == other.failureCount && one.failure == other.failure
      && one.isDiskFailing == other.isDiskFailing
      && one.freeBefore?.first == other.freeBefore?.first && one.freeBefore?.last == other.freeBefore?.last
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(idleCount)
    hasher.combine(failureCount)
  }

  /// Whether deleting has no sense any more, until a look finds more room than before.
  var isStopped: Bool { idleCount >= Self.limit }

  /// Whether another one may be tried before the next look. Where ten in a row have failed, or the disk takes no
  /// deletion, one a look shows whether they still do: a disk that was read-only for an hour is not left full for years.
  func mayTry(after tryCount: Int) -> Bool {
    !isStopped && (tryCount == 0 || (failureCount < Self.limit && !isDiskFailing))
  }

  /// Why nothing goes on; nil where all is well.
  var reason: String? {
    if isStopped { return "\(idleCount) deletions in a row freed nothing on the disk: no more is deleted" }
    guard let failure else { return nil }
    if isDiskFailing { return "nothing can be deleted: \(failure)" }
    guard failureCount >= Self.limit else { return nil }
    return "\(failureCount) deletions in a row failed: \(failure)"
  }

  /// To be called before deleting again.
  ///
  /// - Parameter free: bytes of the disk that hold nothing.
  mutating func look(free: UInt64) {
    guard let freeBefore, free > (isStopped ? freeBefore.first : freeBefore.last) else { return }
    idleCount = 0
    self.freeBefore = nil
  }

  /// - Parameters:
  ///   - expected: bytes: 0 where nothing can be said by it.
  ///   - before: bytes of the disk that held nothing before the deletion.
  ///   - after: the same after it.
  /// - Returns: whether the next deletion need not wait for another look.
  mutating func noteDeletion(expected: UInt64, before: UInt64, after: UInt64) -> Bool {
    (failureCount, failure, isDiskFailing) = (0, nil, false)
    guard expected > 0 else { return true }
    guard after <= before else {
      (idleCount, freeBefore) = (0, nil)
      return true
    }
    idleCount += 1
    freeBefore = (freeBefore?.first ?? before, before)
    return false
  }

  mutating func noteFailure(_ reason: String, ofDisk: Bool = false) {
    failureCount += 1
    (failure, isDiskFailing) = (reason, ofDisk)
  }
}
