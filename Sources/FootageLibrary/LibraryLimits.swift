/// Every time, size and count that the library goes by.
package enum LibraryLimits {
  /// Where no event and no lease tells of writers, a file that was written to within this time may still be growing, in
  /// nanoseconds,
  package static let quietNanoseconds: Int64 = 10_000_000_000
  /// and where events are to be had but have told nothing, this long.
  package static let silentNanoseconds: Int64 = 60_000_000_000
  /// A file that is closed unfinished may be opened again within this time, in nanoseconds.
  package static let closeGraceNanoseconds: Int64 = 1_000_000_000
  /// Between two questions whether a file's writer is still there, in nanoseconds.
  package static let leaseIntervalNanoseconds: Int64 = 2_000_000_000
  /// A modification time so far ahead of the clock is a fresh one, in nanoseconds.
  package static let aheadNanoseconds: Int64 = 5_000_000_000
  /// A file that changes without pause is looked at no more often than this, in nanoseconds.
  package static let lookIntervalNanoseconds: Int64 = 1_000_000_000
  /// Two writes closer than this may leave the same modification time, in nanoseconds.
  package static let clockTickNanoseconds: Int64 = 50_000_000
  /// How long events that can wait are left to gather in the kernel, in milliseconds.
  package static let gatherMilliseconds = 25
  /// Between two scans of the whole folder, in nanoseconds.
  package static let rescanNanoseconds: Int64 = 300_000_000_000
  /// The same, where the kernel tells nothing of some folder, in nanoseconds.
  package static let unwatchedRescanNanoseconds: Int64 = 5_000_000_000
  /// The longest pause before a file that could not be read is looked at again, in nanoseconds.
  package static let backOffNanoseconds: Int64 = 60_000_000_000
  /// A look that takes longer goes on elsewhere, in milliseconds.
  package static let patienceMilliseconds = 1_000
  /// Until something that failed for want of room or of descriptors is tried again, in nanoseconds.
  package static let retryNanoseconds: Int64 = 10_000_000_000
  /// A batch is stored and published when it holds so many files,
  package static let batchFiles = 64
  /// has taken so long, in nanoseconds,
  package static let batchNanoseconds: Int64 = 100_000_000
  /// or holds so many bytes of preambles and indexes.
  package static let batchFileBytes = 32 << 20
  /// Between two looks whether another process has changed a list of kept recordings, in nanoseconds.
  package static let keptLookNanoseconds: Int64 = 5_000_000_000
  /// The longest list of kept recordings that is read, in bytes: some hundred thousand lines.
  package static let keptListBytes: UInt64 = 16 << 20
  /// How long a server waits for the lock of its folder. A killed server's child that was just starting may have it yet.
  /// The next server may be started at that very moment.
  package static let folderLockPatience = Duration.seconds(2)
  /// How long somebody waits who wants to change a list of kept recordings while another one does.
  package static let keptLockPatience = Duration.seconds(5)
  /// The most manifests that are wanted at once.
  static let wantedManifests = 10_000
  /// The most of them that one viewer wants.
  static let wantedManifestsOfViewer = 500
  /// How often the making of a manifest begins anew whose recording had just changed, or had lost its preamble or index,
  static let manifestAttempts = 5
  /// and after how long, in nanoseconds.
  static let manifestPauseNanoseconds: Int64 = 2_000_000_000
  /// Between two looks whether there is a manifest to be made that has to wait, or that nobody has asked for;
  static let manifestLook = Duration.seconds(1)
  /// where all are made that nobody asks for, the folder is listed no more often than this, in nanoseconds.
  static let manifestBacklogNanoseconds: Int64 = 5_000_000_000
  /// How soon to ask again for a manifest that is being made, in seconds.
  package static let manifestRetrySeconds = 2
  /// Folders within folders.
  package static let folderDepth = 32
  /// A preamble or an index without a row may belong to an ingest that is under way, until it is so old, in nanoseconds.
  package static let orphanNanoseconds: Int64 = 60_000_000_000
  /// Of the files that are refused at a start, so many have a warning each.
  package static let toldRefusals = 20
  /// The most recordings of one page of the list.
  package static let pageLength = 1_000
  /// A refused recording that was written to longer after its start is taken to have no length, in milliseconds.
  package static let longestRefusedMilliseconds: Int64 = 86_400_000
  /// A start that lies further ahead of the clock, and further than the recording is long, is marked, in milliseconds.
  package static let futureMilliseconds: Int64 = 60_000
  /// The most recordings of a clip.
  package static let clipRecordings = 64
  static let clipHasTooManyRecordings =
    "A clip is made of \(clipRecordings) recordings at most: ask for a shorter time, or for the film, with .m3u8."
  /// The longest film of a camera, in milliseconds: a day has up to 25 hours.
  package static let filmMilliseconds: Int64 = 93_600_000
  /// The most segments of a film of a camera.
  package static let filmSegments = 20_000
  static let filmIsTooLong =
    "A camera's film lasts 26 hours and has \(filmSegments) segments at most: ask for a shorter time."
  /// A file that grows is looked at for its film no more often than this, in nanoseconds.
  static let growthIntervalNanoseconds: Int64 = 100_000_000
  /// The most files that are watched for their films at once.
  static let growingFiles = 256
  /// How often the film of a growing file begins anew before it is left until the file is whole.
  static let growthFailures = 8
  /// How long the last fragments are kept of what was closed, in nanoseconds.
  static let lingerNanoseconds: Int64 = 30_000_000_000
  /// How long the film of what has grown is kept as it grew, in nanoseconds,
  static let grownFilmNanoseconds: Int64 = 86_400_000_000_000
  /// and how often that is looked after, in nanoseconds.
  static let growthSweepNanoseconds: Int64 = 600_000_000_000
  /// Bytes at the start of an open recording that are kept in memory.
  package static let steadyBytes: UInt64 = 4096
}
