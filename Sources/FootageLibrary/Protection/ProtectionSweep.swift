internal import Synchronization

/// A change of the protection of many recordings, carried out a part at a time: a month of a camera takes minutes, and
/// whoever waits for the same thread has a turn in between.
package final class ProtectionSweep: Sendable {
  typealias Change = @Sendable (Recording) throws(ProtectionError) -> Void

  /// The recordings that are left, and the result so far.
  private struct Work {
    var recordings: ArraySlice<Recording>
    let change: Change
    var done: [String] = []
    var failure: ProtectionError?
  }

  /// How many recordings a part has.
  static let partCount = 16

  private let work = Mutex<Work?>(nil)
  private let begin: @Sendable () throws(ProtectionError) -> (recordings: [Recording], change: Change)

  /// - Parameter begin: finds out what is to be done to which recordings, in the first part.
  init(_ begin: @escaping @Sendable () throws(ProtectionError) -> (recordings: [Recording], change: Change)) {
    self.begin = begin
  }

  private func begun() throws(ProtectionError) -> Work {
    let (recordings, change) = try begin()
    return Work(recordings: recordings[...], change: change)
  }

  /// Does the next part. Blocks. Not to be called again once it has returned names, or has thrown.
  ///
  /// - Returns: the names of all that it was done to, the newest first; nil while there is more to do.
  /// - Throws: `ProtectionError`, as for one recording; `.nothingThere`; `.incomplete` where some were done and others
  ///   were not.
  package func next() throws(ProtectionError) -> [String]? {
    try work.withLock { (work) throws(ProtectionError) -> [String]? in
      var current = if let work { work } else { try begun() }
      // With one holder the names are added to in place.
      work = nil
      defer { work = current }
      for recording in current.recordings.prefix(Self.partCount) {
        do throws(ProtectionError) {
          try current.change(recording)
          current.done.append(recording.name)
        } catch {
          // The others are worth as much as before.
          current.failure = current.failure ?? error
        }
      }
      current.recordings = current.recordings.dropFirst(Self.partCount)
      guard current.recordings.isEmpty else { return nil }
      if let failure = current.failure {
        throw current.done.isEmpty ? failure : .incomplete(done: current.done, first: failure)
      }
      return current.done
    }
  }

  /// Does all of it.
  func finish() throws(ProtectionError) -> [String] {
    while true { if let done = try next() { return done } }
  }
}
