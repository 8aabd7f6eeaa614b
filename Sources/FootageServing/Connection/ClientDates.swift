internal import Synchronization

/// The period in which all certificates of a loop's clients are valid. Another thread checks it once a second.
final class ClientDates: Sendable {
  // Seconds since 1970. Written only on the loop's thread, when a client is admitted.
  private let notBefore = Atomic(Int64.min)
  private let notAfter = Atomic(Int64.max)

  /// Adds the period in which a client's certificates are valid.
  func add(_ validity: ClosedRange<Int64>) {
    if validity.lowerBound > notBefore.load(ordering: .relaxed) {
      notBefore.store(validity.lowerBound, ordering: .relaxed)
    }
    if validity.upperBound < notAfter.load(ordering: .relaxed) {
      notAfter.store(validity.upperBound, ordering: .relaxed)
    }
  }

  /// Removes all periods, before the clients are added again.
  func forget() {
    notBefore.store(.min, ordering: .relaxed)
    notAfter.store(.max, ordering: .relaxed)
  }

  func hold(at now: Int64) -> Bool {
    notBefore.load(ordering: .relaxed) <= now && now <= notAfter.load(ordering: .relaxed)
  }
}
