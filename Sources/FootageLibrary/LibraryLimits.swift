/// The times, sizes and counts that limit the library.
package enum LibraryLimits {
  /// The time after the last write to a file during which the file may still be growing, if neither events nor leases
  /// report writers, in nanoseconds.
  package static let quietNanoseconds: Int64 = 10_000_000_000
  /// The time after the last write to a file during which the file may still be growing, if events are available but
  /// have reported nothing, in nanoseconds.
  package static let silentNanoseconds: Int64 = 60_000_000_000
  /// The time within which a file that was closed unfinished may be opened again, in nanoseconds.
  package static let closeGraceNanoseconds: Int64 = 1_000_000_000
  /// The time between two checks whether a file still has its writer, in nanoseconds.
  package static let leaseIntervalNanoseconds: Int64 = 2_000_000_000
  /// The time by which a modification time may be ahead of the clock and still count as recent, in nanoseconds.
  package static let aheadNanoseconds: Int64 = 5_000_000_000
  /// The minimum time between two examinations of a file that changes constantly, in nanoseconds.
  package static let lookIntervalNanoseconds: Int64 = 1_000_000_000
  /// The time between two writes below which both may leave the same modification time, in nanoseconds.
  package static let clockTickNanoseconds: Int64 = 50_000_000
  /// The time for which changes may accumulate in the kernel before they are read, in milliseconds, if no change is
  /// urgent.
  package static let gatherMilliseconds = 25
  /// The time between two scans of the whole folder, in nanoseconds.
  package static let rescanNanoseconds: Int64 = 300_000_000_000
  /// The time between two scans of the whole folder if the kernel reports no events for some folder, in nanoseconds.
  package static let unwatchedRescanNanoseconds: Int64 = 5_000_000_000
  /// The minimum time between two counts of the files that are not MP4, in nanoseconds.
  package static let foreignIntervalNanoseconds: Int64 = 30_000_000_000
  /// The maximum number of folders that wait for a count of the files that are not MP4.
  static let foreignFolders = 256
  /// The longest pause before another examination of a file that could not be read, in nanoseconds.
  package static let backOffNanoseconds: Int64 = 60_000_000_000
  /// The time after which an examination continues on another thread, in milliseconds.
  package static let patienceMilliseconds = 1_000
  /// The pause before a retry after a failure due to a lack of disk space or descriptors, in nanoseconds.
  package static let retryNanoseconds: Int64 = 10_000_000_000
  /// The number of files at which a batch is stored and published.
  package static let batchFiles = 64
  /// The time after which a batch is stored and published, in nanoseconds.
  package static let batchNanoseconds: Int64 = 100_000_000
  /// The size of its preambles and indexes at which a batch is stored and published, in bytes.
  package static let batchFileBytes = 32 << 20
  /// The time between two checks whether another process has changed a list of kept recordings, in nanoseconds.
  package static let keptLookNanoseconds: Int64 = 5_000_000_000
  /// The largest list of kept recordings that is read, in bytes: a few hundred thousand lines.
  package static let keptListBytes: UInt64 = 16 << 20
  /// The time for which a server waits for the lock of its folder. When a server is killed, a child process that was
  /// just starting may hold the lock a moment longer, while the next server starts.
  package static let folderLockPatience = Duration.seconds(2)
  /// The time for which a command waits for the lock of a folder. A child process of the last server may hold it a
  /// moment longer.
  static let commandLockPatience = Duration.milliseconds(500)
  /// The time for which a process waits to change a list of kept recordings while another process is changing it.
  package static let keptLockPatience = Duration.seconds(5)
  /// The maximum number of manifests that are requested at once.
  static let wantedManifests = 10_000
  /// The maximum number of manifests that one viewer requests at once.
  static let wantedManifestsOfViewer = 500
  /// The number of attempts to make a manifest whose recording had just changed, or had lost its preamble or index.
  static let manifestAttempts = 5
  /// The pause between two attempts to make a manifest, in nanoseconds.
  static let manifestPauseNanoseconds: Int64 = 2_000_000_000
  /// The time between two checks for a manifest to make: one whose making was postponed, or one that no viewer has
  /// requested.
  static let manifestLook = Duration.seconds(1)
  /// The minimum time between two listings of the folder, if manifests are also made without a request, in nanoseconds.
  static let manifestBacklogNanoseconds: Int64 = 5_000_000_000
  /// The time after which a client should ask again for a manifest that is being made, in seconds.
  package static let manifestRetrySeconds = 2
  /// The maximum depth of folders within folders.
  package static let folderDepth = 32
  /// The age up to which a preamble or index without a row may belong to an ingest in progress, in nanoseconds.
  package static let orphanNanoseconds: Int64 = 60_000_000_000
  /// The number of files refused at a start that get a warning each; if there are more, they are logged at a lower
  /// level.
  package static let toldRefusals = 20
  /// The maximum number of recordings on one page of the list.
  package static let pageLength = 1_000
  /// The longest length of a refused recording, in milliseconds. If the file was written to for longer after its start,
  /// the recording counts as having no length.
  package static let longestRefusedMilliseconds: Int64 = 86_400_000
  /// The time by which a start, less the recording's length, may be ahead of the clock before it is marked as being in
  /// the future, in milliseconds.
  package static let futureMilliseconds: Int64 = 60_000
  /// The maximum number of recordings in a clip.
  package static let clipRecordings = 64
  static let clipHasTooManyRecordings =
    "A clip spans at most \(clipRecordings) recordings: request a shorter time, or the film (same path with .m3u8)."
  /// The longest film of a camera, in milliseconds: a day of up to 25 hours, and one hour more.
  package static let filmMilliseconds: Int64 = 93_600_000
  /// The maximum number of segments in a film of a camera.
  package static let filmSegments = 20_000
  static let filmIsTooLong =
    "A camera's film lasts at most 26 hours and has at most \(filmSegments) segments: request a shorter time."
  /// The minimum time between two examinations of a growing file for its film, in nanoseconds.
  static let growthIntervalNanoseconds: Int64 = 100_000_000
  /// The maximum number of growing files whose films are updated at the same time.
  static let growingFiles = 256
  /// The number of times that the film of a growing file may start over. After that, there is no film until the file is
  /// complete.
  static let growthFailures = 8
  /// The time for which the last fragments of a closed file are kept, in nanoseconds.
  static let lingerNanoseconds: Int64 = 30_000_000_000
  /// The time for which the film of a finished recording keeps its ID and segments from the time when it grew, in
  /// nanoseconds.
  static let grownFilmNanoseconds: Int64 = 86_400_000_000_000
  /// The time between two removals of expired films of finished recordings, in nanoseconds.
  static let growthSweepNanoseconds: Int64 = 600_000_000_000
  /// The number of bytes at the start of an open recording that are kept in memory.
  package static let steadyBytes: UInt64 = 4096
}
