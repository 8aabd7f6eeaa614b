internal import Synchronization

/// A change of the protection of many recordings, made in parts. A month of a camera takes minutes, so other work on
/// the same thread can run between the parts.
package final class ProtectionSweep: Sendable {
  typealias Change = @Sendable (Recording) throws(ProtectionError) -> Void

  /// The recordings that remain, and the results so far.
  private struct Work {
    var recordings: ArraySlice<Recording>
    let change: Change
    var done: [String] = []
    var failure: ProtectionError?
  }

  /// The number of recordings in a part.
  static let partCount = 16

  private let work = Mutex<Work?>(nil)
  private let begin: @Sendable () throws(ProtectionError) -> (recordings: [Recording], change: Change)

  /// - Parameter begin: called with the first part; returns the recordings and the change to make.
  init(_ begin: @escaping @Sendable () throws(ProtectionError) -> (recordings: [Recording], change: Change)) {
    self.begin = begin
  }

  private func begun() throws(ProtectionError) -> Work {
    let (recordings, change) = try begin()
    return Work(recordings: recordings[...], change: change)
  }

  /// Does the next part. Blocks. Do not call it again once it has returned names or thrown an error.
  ///
  /// - Returns: the names of all changed recordings, newest first; nil while there is more to do.
  /// - Throws: `ProtectionError`, as `keep(name:)` does; `.nothingThere`; `.incomplete` if some were changed and others
  ///   were not.
  package func next() throws(ProtectionError) -> [String]? {
    try work.withLock { (work) throws(ProtectionError) -> [String]? in
      var current = if let work { work } else { try begun() }
      // With only one owner, the array of names is extended in place.
      work = nil
      defer { work = current }
      for recording in current.recordings.prefix(Self.partCount) {
        do throws(ProtectionError) {
          try current.change(recording)
          current.done.append(recording.name)
        } catch {
          // Continue: the failure does not affect the other recordings.
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

  /// Does all remaining parts.
  func finish() throws(ProtectionError) -> [String] {
    while true { if let done = try next() { return done } }
  }
}
