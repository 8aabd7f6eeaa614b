/// A monitor of deletions that decides whether they free anything. It does no input or output.
///
/// It measures the unused space on the disk, not the available space. The latter stays 0 while the superuser's reserve
/// is in use, until the deletions have restored the reserve.
///
/// A file system may free a deleted file's space later. So after a deletion that seems to have freed nothing, the next
/// one waits for another check.
struct RetentionProgress: Hashable {
  /// The number of deletions in a row that freed nothing.
  private(set) var idleCount = 0
  /// The unused bytes before the first, and before the last, of the deletions in a row that freed nothing.
  private var freeBefore: (first: UInt64, last: UInt64)?
  /// The number of failed deletions in a row; `failure` is the message of the last one.
  private(set) var failureCount = 0
  private(set) var failure: String?
  /// True if the last deletion failed for a reason that affects the whole disk, so that no others need to be tried.
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

  /// True if further deletions are pointless until a check finds more room than before.
  var isStopped: Bool { idleCount >= Self.limit }

  /// Returns whether another deletion may be tried before the next check. After ten failures in a row, or if the disk
  /// accepts no deletions, one attempt is made per check. A disk that was read-only for an hour therefore does not stay
  /// full forever.
  func mayTry(after tryCount: Int) -> Bool {
    !isStopped && (tryCount == 0 || (failureCount < Self.limit && !isDiskFailing))
  }

  /// The reason why deletions do not free space; nil if they do.
  var reason: String? {
    if isStopped { return "\(idleCount) deletions in a row freed nothing on the disk: nothing more is deleted" }
    guard let failure else { return nil }
    if isDiskFailing { return "nothing can be deleted: \(failure)" }
    guard failureCount >= Self.limit else { return nil }
    return "\(failureCount) deletions in a row failed: \(failure)"
  }

  /// Checks the unused space. Call this before deleting again.
  ///
  /// - Parameter free: the unused bytes on the disk.
  mutating func look(free: UInt64) {
    guard let freeBefore, free > (isStopped ? freeBefore.first : freeBefore.last) else { return }
    idleCount = 0
    self.freeBefore = nil
  }

  /// - Parameters:
  ///   - expected: the bytes that should have been freed; 0 if the deletion proves nothing.
  ///   - before: the unused bytes on the disk before the deletion.
  ///   - after: the unused bytes on the disk after the deletion.
  /// - Returns: true if the next deletion need not wait for another check.
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
