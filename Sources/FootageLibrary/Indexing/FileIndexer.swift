internal import FootageBase
internal import FootageMedia
internal import FootageSystem
internal import Synchronization

/// A reader of the bytes of files.
///
/// Any number of threads may use it at once.
protocol FileIndexer: Sendable {
  /// Examines an open file. Blocks until the report is available, or until the caller's patience ends.
  ///
  /// - Parameters:
  ///   - file: the file in its current state; the caller must check afterwards that it was not changed meanwhile.
  ///   - lane: files in one lane wait for one another, but not for those in other lanes.
  ///   - patience: in milliseconds; nil waits for the report.
  ///   - late: called on another thread with a report that arrives after the patience has ended.
  /// - Returns: nil if the examination continues, and `late` will be called.
  func examine(
    _ file: RandomAccessFile, isQuickTime: Bool, lane: IndexingLane, patience: Int?,
    late: @escaping @Sendable (FileExamination) -> Void
  ) -> FileExamination?

  /// Determines how far the film of a growing recording has grown. Blocks. Only one thread may use it.
  ///
  /// - Parameters:
  ///   - file: the file at its current length.
  ///   - key: the key of the film: an examination continues where the previous one with the same key ended.
  ///   - isClosed: true if nothing more will be written; the key is then forgotten.
  func grow(_ file: RandomAccessFile, key: UInt64, isClosed: Bool) -> GrowthOutcome

  /// Makes the sample index of a file in which another video track leads than the one that films show. Blocks.
  ///
  /// - Parameter track: the number of the video track, from 1 on.
  func samples(of file: RandomAccessFile, track: Int) -> TrackSamples

  /// The number of times that a process that reads files ended during its work and had to be restarted.
  var restartCount: UInt64 { get }

  /// True once a reading process was found to run without a filter for its system calls, because the kernel has none.
  var isUnfiltered: Bool { get }

  /// True if examinations were aborted, so that a failed one does not mean that the file is at fault.
  var isStopped: Bool { get }

  /// Aborts the running examinations; each only reports that it did not finish.
  func stop()
}

extension FileIndexer {
  /// The default for an examiner without child processes.
  var restartCount: UInt64 { 0 }
  var isUnfiltered: Bool { false }
  var isStopped: Bool { false }
}

/// The groups of files that are examined one after the other. Groups do not wait for each other, so a growing file does
/// not delay complete ones.
enum IndexingLane: CaseIterable, Sendable {
  /// Files that were complete when they were found, or arrived complete.
  case whole
  /// Files that were seen growing.
  case growing
  /// Films of growing recordings, which are watched as they grow.
  case films
}

/// The result of an examination.
struct FileExamination: Sendable {
  enum Outcome: Sendable {
    case report(FileReport)
    /// The reading process died twice, or exceeded its limits, because of the file. The text says what happened.
    case died(String)
    /// The examination failed, for a reason that may be temporary.
    case unavailable(String)
  }

  let outcome: Outcome
  var files = DerivedFiles()

  /// Examines a file and waits for the result.
  static func of(_ file: RandomAccessFile, isQuickTime: Bool, by examiner: some FileIndexer) -> FileExamination {
    examiner.examine(file, isQuickTime: isQuickTime, lane: .whole, patience: nil) { _ in }
      ?? FileExamination(outcome: .unavailable("it was not examined"))
  }
}

/// A reader of files in this process, for use without a child process, as in tests.
final class LocalFileIndexer: FileIndexer {
  private let growing = Mutex(GrowingFiles())

  func grow(_ file: RandomAccessFile, key: UInt64, isClosed: Bool) -> GrowthOutcome {
    growing.withLock { files in
      let found = files.look(file, key: key, isClosed: isClosed)
      return GrowthOutcome(found.report, found.growth)
    }
  }

  func samples(of file: RandomAccessFile, track: Int) -> TrackSamples {
    TrackSamples(TrackSamples.make(of: file, track: track))
  }

  func examine(
    _ file: RandomAccessFile, isQuickTime: Bool, lane: IndexingLane, patience: Int?,
    late: @escaping @Sendable (FileExamination) -> Void
  ) -> FileExamination? {
    let found = FileReport.of(file, file.openingStatus.version, isQuickTime: isQuickTime)
    return FileExamination(
      outcome: .report(found.report),
      files: DerivedFiles(
        preamble: found.preamble.isEmpty ? nil : BoundComposition(found.preamble),
        index: found.index.isEmpty ? nil : BoundComposition(found.index)))
  }

  func stop() {}
}
