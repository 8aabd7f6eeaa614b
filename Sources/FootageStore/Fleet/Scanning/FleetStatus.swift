package import FootageAPI
package import FootageBase

/// The status of the search for the robots' recordings.
package struct FleetStatus: Hashable, Sendable {
  /// A fault that keeps the search from working correctly.
  package struct Trouble: Hashable, Sendable {
    package let code: HealthCode
    /// A text that says what is wrong, and what to do.
    package let words: String
  }

  /// The store's URL, without a secret.
  package var store: String
  package var robots = 0
  /// The last failure of the store; nil if it answers.
  package var storeTrouble: Trouble?
  /// The reason why the present list of robots is not used; nil if it is.
  package var robotsFailure: String?
  /// The reason why the index cannot be written; nil if it can.
  package var indexFailure: String?
  /// The time at which the store was last searched for recordings of all robots; nil if it never was.
  package var lastRound: UnixTimestamp?

  package init(store: String) { self.store = store }
}

extension FleetStatus.Trouble {
  init?(_ error: ObjectStoreError) {
    guard let trouble = error.trouble else { return nil }
    self.init(code: trouble.healthCode, words: error.description)
  }
}
