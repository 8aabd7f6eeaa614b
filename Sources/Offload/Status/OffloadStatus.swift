package import FootageAPI
package import Formats
package import ObjectStore

/// How bringing recordings into the store goes.
package struct OffloadStatus: Hashable, Sendable {
  /// What keeps the store from being of use.
  package struct Trouble: Hashable, Sendable {
    package var kind: Kind
    /// What is so, and what to do.
    package var words: String

    package enum Kind: Hashable, Sendable {
      case store(StoreTrouble)
      /// What lies under the robot's prefix was signed by another key: nothing there is touched.
      case foreign
      /// Recordings that were stored are not in the store any more, and nowhere else.
      case missing
      /// What is known of the store can be neither read nor written.
      case record
    }

    package var code: HealthCode {
      switch kind {
      case .store(.away): .offloadAway
      case .store(.denied): .offloadDenied
      case .store(.untrusted): .offloadUntrusted
      case .store(.redirect): .offloadRedirect
      case .store(.full): .offloadFull
      case .foreign: .offloadForeign
      case .missing: .offloadMissing
      case .record: .offloadRecord
      }
    }
  }

  /// Where recordings go: the store's URL, without a secret.
  package var store: String
  package var trouble: Trouble?
  /// What there is in the store.
  package var storedCount = 0
  package var storedBytes: UInt64 = 0
  /// What is still to come there.
  package var backlogCount = 0
  package var backlogBytes: UInt64 = 0
  /// When the oldest of that was recorded; nil where there is none.
  package var oldest: UnixTimestamp?
  /// When something was brought there last.
  package var lastSuccess: UnixTimestamp?
  /// What is on its way just now, with how many of how many bytes are there; nil for nothing.
  package var current: Transfer?
  /// Since the start, in bytes, also what was sent twice.
  package var sentBytes: UInt64 = 0
  /// Of that, what the store had had before.
  package var resentBytes: UInt64 = 0
  /// Of recordings that cannot be stored, the name and why, some of them.
  package var refusals: [String: String] = [:]
  /// What was asked for since the start, the oldest first; of old ones that are over some are forgotten.
  package var tasks: [OffloadTask] = []

  package init(store: String) { self.store = store }

  package struct Transfer: Hashable, Sendable {
    package var name: String
    package var sentBytes: UInt64
    package var totalBytes: UInt64
  }
}
