/// How the library is, as of its thread's last turn: what of it does not work.
package struct LibraryCondition: Hashable, Sendable {
  /// Whether the recordings folder was listed since the start.
  package var hasScanned = false
  /// Whether everything that was found there was looked at, so that what is not listed is not there.
  package var isSettled = false
  package var isFolderMissing = false
  /// Whether that is so because it may not be read.
  package var isFolderDenied = false
  /// How many recordings are on a file system that is not there.
  package var awayCount = 0
  /// How many recordings that a store has as well have their files on a file system that is not there.
  package var awayStoredCount = 0
  /// Whether the state lies in a temporary folder, since its own cannot be written.
  package var isStateTemporary = false
  /// Of how many recordings the preamble or the index could not be stored.
  package var unstoredCount = 0
  package var isCatalogUnwritable = false
  /// Whether the kernel tells of changes in all folders.
  package var isWatched = true
  /// How often a process that reads files was started again.
  package var indexerRestarts: UInt64 = 0
  /// How many recordings were deleted to make room, since the start.
  package var deletedCount: UInt64 = 0
  /// From a recorder's close to the list, of all recordings since the start.
  package var readyTimes = DurationHistogram()
  /// What viewers protect, the largest share first.
  package var keptShares: [KeptShare] = []
  /// For how long the thread has been busy with one turn, in nanoseconds; 0 where it waits for news.
  package var busyNanoseconds: Int64 = 0

  package init() {}
}
