internal import FootageBase
internal import FootageMedia
internal import FootageSystem
internal import Synchronization

/// Looks at the bytes of files.
///
/// May be used by any number of threads at once.
protocol FileIndexer: Sendable {
  /// Looks at an open file. Blocks: until the report is there, or for as long as the caller is patient.
  ///
  /// - Parameters:
  ///   - file: as it is now; that it was not changed meanwhile is the caller's to find out.
  ///   - lane: files of one lane wait for one another, those of the other do not.
  ///   - patience: in milliseconds; nil waits for the report.
  ///   - late: called from another thread with a report that came later than that.
  /// - Returns: nil where the look goes on, and `late` will be called.
  func examine(
    _ file: RandomAccessFile, isQuickTime: Bool, lane: IndexingLane, patience: Int?,
    late: @escaping @Sendable (FileExamination) -> Void
  ) -> FileExamination?

  /// Looks how far the film of a recording that grows has grown. Blocks. To be used by one thread.
  ///
  /// - Parameters:
  ///   - file: as long as it is now.
  ///   - key: of the film: a look takes up where the one before it with the same key ended.
  ///   - isClosed: whether nothing more will come; the key is forgotten then.
  func grow(_ file: RandomAccessFile, key: UInt64, isClosed: Bool) -> GrowthOutcome

  /// How often a process that reads files ended over its work, and had to be started again.
  var restartCount: UInt64 { get }

  /// True once a process that reads files was seen to be free to make any system call: the kernel has no filter.
  var isUnfiltered: Bool { get }

  /// Whether looks have been broken off, so that one that failed says nothing of its file.
  var isStopped: Bool { get }

  /// Ends what is running; nothing is told of it any more than that it did not come to an end.
  func stop()
}

extension FileIndexer {
  /// Where there is no process.
  var restartCount: UInt64 { 0 }
  var isUnfiltered: Bool { false }
  var isStopped: Bool { false }
}

/// Which files wait for one another: a growing one shall not hold up those that are whole.
enum IndexingLane: CaseIterable, Sendable {
  /// Files that were there, or came here, whole.
  case whole
  /// Files that were seen growing.
  case growing
  /// Films of what grows, which are watched while they do.
  case films
}

/// What became of a look.
struct FileExamination: Sendable {
  enum Outcome: Sendable {
    case report(FileReport)
    /// Twice, and by the file's own doing: with what happened.
    case died(String)
    /// Nothing was found out, for a reason that may pass.
    case unavailable(String)
  }

  let outcome: Outcome
  var files = DerivedFiles()

  /// Waits for a look to end.
  static func of(_ file: RandomAccessFile, isQuickTime: Bool, by examiner: some FileIndexer) -> FileExamination {
    examiner.examine(file, isQuickTime: isQuickTime, lane: .whole, patience: nil) { _ in }
      ?? FileExamination(outcome: .unavailable("nobody looked at it"))
  }
}

/// Looks at files in this process: where there is no program to start, as in tests.
final class LocalFileIndexer: FileIndexer {
  private let growing = Mutex(GrowingFiles())

  func grow(_ file: RandomAccessFile, key: UInt64, isClosed: Bool) -> GrowthOutcome {
    growing.withLock { files in
      let found = files.look(file, key: key, isClosed: isClosed)
      return GrowthOutcome(found.report, found.growth)
    }
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
