/// The condition of the library at the end of its thread's last turn, including all problems.
package struct LibraryCondition: Hashable, Sendable {
  /// True if the recordings folder was listed since the start.
  package var hasScanned = false
  /// True if every file in the folder has been examined, so that a recording that is not listed does not exist.
  package var isSettled = false
  package var isFolderMissing = false
  /// True if the folder counts as missing because this process may not read it.
  package var isFolderDenied = false
  /// The number of recordings on file systems that are not mounted at the moment.
  package var awayCount = 0
  /// The number of recordings that are also in a store, and whose files are on file systems that are not mounted at the
  /// moment.
  package var awayStoredCount = 0
  /// True if the state is in a temporary folder, because the state folder is not writable.
  package var isStateTemporary = false
  /// The number of recordings whose preamble or index could not be stored.
  package var unstoredCount = 0
  package var isCatalogUnwritable = false
  /// True if the kernel reports changes in all folders.
  package var isWatched = true
  /// The number of times that a process that reads files was restarted.
  package var indexerRestarts: UInt64 = 0
  /// The number of recordings deleted to make room since the start.
  package var deletedCount: UInt64 = 0
  /// The times from the moment when a recorder closes a file until the recording is listed, for all recordings since
  /// the start.
  package var readyTimes = DurationHistogram()
  /// The video files in the folder that are not MP4.
  package var foreign = ForeignFiles()
  /// The total size of the recordings that each viewer protects, the largest first.
  package var keptShares: [KeptShare] = []
  /// The time for which the thread has been busy with one turn, in nanoseconds; 0 while it is idle.
  package var busyNanoseconds: Int64 = 0

  package init() {}
}
