package import FootageAPI

/// Asks a store whether it still has what it is believed to have, directly before the file on the robot goes.
package protocol StoreChecker: Sendable {
  /// Blocks until the store has answered, until a deadline of the checker's own, or until `isStopped`.
  ///
  /// - Parameters:
  ///   - name: of the recording.
  ///   - version: of the recording; another version of that name is another question.
  func check(_ name: String, version: VersionTag, isStopped: () -> Bool) -> StoreAnswer
}

/// What a store says of a version that it is believed to have.
package enum StoreAnswer: Hashable, Sendable {
  /// Its manifest and its file are there, with their lengths.
  case there
  /// Some of it is not there, or has another length. The checker has seen to it that it is sent again.
  case lost
  /// Nobody can say just now, for this reason, in words.
  case unknown(String)
}
