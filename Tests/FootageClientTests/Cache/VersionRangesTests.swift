/// The bookkeeping of the ranges in a file and of the claims on them.

import FootageBase
import Testing

@testable import FootageCore

@Suite struct VersionRangesTests {
  private func ranges(_ durable: [Range<UInt64>] = []) -> VersionRanges {
    var limits = MediaCacheLimits()
    limits.commitBytes = 100
    limits.commitDelay = .seconds(1)
    return VersionRanges(length: 1000, durable: RangeSet(durable), limits: limits)
  }

  @Test(
    arguments: [
      // Not enough bytes yet; enough bytes; enough time; a reader waits.
      (0..<99, false, 0, false), (0..<100, false, 0, true), (0..<1, false, 1000, true), (0..<1, true, 0, true),
      // Nothing is new; everything that was missing.
      (500..<600, true, 5000, false), (600..<1000, false, 0, true),
    ] as [(Range<UInt64>, Bool, Int, Bool)])
  func `bytes are made durable when that is worth it`(
    came: Range<UInt64>, isUrgent: Bool, milliseconds: Int, isDue: Bool
  ) {
    var ranges = ranges([500..<600])
    if came.lowerBound == 600 { ranges = self.ranges([0..<600]) }
    ranges.insert(came, now: .zero)
    #expect(ranges.isCommitDue(isUrgent: isUrgent, now: .milliseconds(milliseconds)) == isDue)
  }

  @Test func `what is claimed is what was there when its sync began`() {
    var ranges = ranges([0..<10])
    ranges.insert(5..<20, now: .zero)
    #expect(ranges.pending.ranges == [10..<20])
    #expect(ranges.beginCommit().ranges == [10..<20])
    ranges.insert(20..<30, now: .zero)
    #expect(ranges.beginCommit().isEmpty && !ranges.isCommitDue(isUrgent: true, now: .zero))
    ranges.committed(now: .zero)
    #expect(ranges.durable.ranges == [0..<20] && ranges.pending.ranges == [20..<30])
  }

  @Test func `after a sync that failed only what was claimed is there`() {
    var ranges = ranges([0..<10])
    ranges.insert(10..<20, now: .zero)
    _ = ranges.beginCommit()
    ranges.insert(20..<30, now: .zero)
    ranges.syncFailed()
    #expect(ranges.available.ranges == [0..<10] && ranges.pending.isEmpty && ranges.isAtRest)
  }

  @Test func `a claim that cannot be written is tried again a little later, and three times in all`() {
    var ranges = ranges()
    ranges.insert(0..<10, now: .zero)
    for number in 1...3 {
      let now = Duration.seconds(10 * number)
      #expect(ranges.isCommitDue(isUrgent: true, now: now) && !ranges.isGivenUp)
      _ = ranges.beginCommit()
      ranges.commitFailed(now: now)
      #expect(!ranges.isCommitDue(isUrgent: true, now: now))
    }
    #expect(ranges.isGivenUp && ranges.isAtRest && !ranges.isCommitDue(isUrgent: true, now: .seconds(100)))
    ranges.tryAgain()
    #expect(ranges.isCommitDue(isUrgent: true, now: .seconds(100)))
  }

  @Test func `good bytes whose claim was taken back are claimed anew`() {
    var ranges = ranges([0..<100])
    ranges.remove(10..<20)
    ranges.unclaim(0..<64)
    #expect(ranges.pending.ranges == [0..<10, 20..<64] && ranges.durable.ranges == [64..<100])
  }
}
