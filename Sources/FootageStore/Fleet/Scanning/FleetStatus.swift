package import FootageAPI
package import FootageBase

/// How looking for the robots' recordings goes.
package struct FleetStatus: Hashable, Sendable {
  /// What keeps it from being as it should.
  package struct Trouble: Hashable, Sendable {
    package let code: HealthCode
    /// What is so, and what to do.
    package let words: String
  }

  /// The store's URL, without a secret.
  package var store: String
  package var robots = 0
  /// What the store said last that was no answer; nil where it answers.
  package var storeTrouble: Trouble?
  /// Why the list of robots that lies there now is not used; nil where it is.
  package var robotsFailure: String?
  /// Why the index cannot be written; nil where it can.
  package var indexFailure: String?
  /// When all robots were asked for last; nil where they never were.
  package var lastRound: UnixTimestamp?

  package init(store: String) { self.store = store }
}

extension FleetStatus.Trouble {
  init?(_ error: ObjectStoreError) {
    guard let trouble = error.trouble else { return nil }
    self.init(code: trouble.healthCode, words: error.description)
  }
}
