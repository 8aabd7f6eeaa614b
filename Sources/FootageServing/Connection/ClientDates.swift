internal import Synchronization

/// When the certificates of a loop's clients hold, all of them: looked at from another thread once a second.
final class ClientDates: Sendable {
  // Seconds since 1970. Written on the loop's thread alone, when a client comes in.
  private let notBefore = Atomic(Int64.min)
  private let notAfter = Atomic(Int64.max)

  /// One more client, whose certificates hold so long.
  func add(_ validity: ClosedRange<Int64>) {
    if validity.lowerBound > notBefore.load(ordering: .relaxed) {
      notBefore.store(validity.lowerBound, ordering: .relaxed)
    }
    if validity.upperBound < notAfter.load(ordering: .relaxed) {
      notAfter.store(validity.upperBound, ordering: .relaxed)
    }
  }

  /// Before all are added again.
  func forget() {
    notBefore.store(.min, ordering: .relaxed)
    notAfter.store(.max, ordering: .relaxed)
  }

  func hold(at now: Int64) -> Bool {
    notBefore.load(ordering: .relaxed) <= now && now <= notAfter.load(ordering: .relaxed)
  }
}
