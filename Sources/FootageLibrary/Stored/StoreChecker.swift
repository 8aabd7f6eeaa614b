package import FootageAPI

/// A checker that asks a store whether it still has a version, directly before the robot deletes the file.
package protocol StoreChecker: Sendable {
  /// Asks the store. Blocks until the store has answered, until the checker's own deadline, or until `isStopped`.
  ///
  /// - Parameters:
  ///   - name: the name of the recording.
  ///   - version: the version of the recording; each version under that name is checked separately.
  func check(_ name: String, version: VersionTag, isStopped: () -> Bool) -> StoreAnswer
}

/// The store's answer about a version that it should have according to the records.
package enum StoreAnswer: Hashable, Sendable {
  /// The manifest and the file exist, with their correct lengths.
  case there
  /// Part of the version is missing or has another length. The checker has arranged for it to be sent again.
  case lost
  /// The answer is not available now, for this reason, in words.
  case unknown(String)
}
