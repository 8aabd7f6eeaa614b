internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// The result of one examination of a file's bytes: all facts about the file except its path, its times and its writer.
struct FileReport: Equatable, Sendable {
  /// The content to serve for a file, and its description in the list.
  struct Content: Equatable, Sendable {
    /// The entity tag without its quotes: 32 hexadecimal digits.
    var tag: String
    /// The served bytes: the preamble, if there is one, and ranges of the file.
    var composition: Composition
    var mediaType: Recording.MediaType
    var movie: MovieSummary
    var isRecovered: Bool
    /// The summary of the sample index; nil if an attempt to make one failed for a reason that may be temporary.
    var index: IndexSummary?
    /// The file's peculiarities, one sentence each.
    var notes: [String]
  }

  /// A report, with the files to keep beside it.
  struct Findings {
    var report: FileReport
    /// The preamble; empty if there is none.
    var preamble: [UInt8] = []
    /// The sample index; empty if there is none.
    var index: [UInt8] = []

    init(_ verdict: Verdict) { report = FileReport(verdict: verdict) }
  }

  enum Verdict: Equatable, Sendable {
    case ready(Content)
    /// The file is incomplete, because a recorder is still writing it or never finished it.
    case incomplete(String)
    /// The file cannot be served. Only a change of its bytes could change that.
    case refused(String)
    /// The bytes could not be read. The error number is nil if they ended before the length that the file had.
    case unreadable(String, Errno?)
  }

  var verdict: Verdict

  /// The maximum number of notes that are kept for one file.
  private static let noteLimit = 32
  /// The maximum number of pieces in which a file is served. Each is kept in memory for as long as the recording is
  /// listed.
  static let rangeLimit = 4_096

  /// Examines an open file. Reads its headers and some of its samples; blocks.
  ///
  /// - Parameters:
  ///   - file: the file to read.
  ///   - version: its version when it was opened, from which the tag is made.
  ///   - isQuickTime: true if the name ends in `.mov`.
  ///   - withSamples: true to make the sample index, too.
  static func of(
    _ file: some ByteSource<StorageError>, _ version: FileVersion, isQuickTime: Bool, withSamples: Bool = true
  ) -> Findings {
    do throws(StorageError) {
      let outcome: IndexOutcome
      do throws(MP4Error) {
        outcome = try MovieIndex.make(of: file)
      } catch {
        if case .unreadable(let failure) = error {
          return Findings(.unreadable(failure.description, (failure.cause as? StorageError)?.number))
        }
        return Findings(.refused(error.description))
      }
      switch outcome {
      case .incomplete(let error): return Findings(.incomplete(error.description))
      case .ready(let index) where index.body.count > rangeLimit:
        return Findings(
          .refused(
            "it would be served in \(index.body.count) pieces, which is more than \(rangeLimit): rewrite it"))
      case .ready(let index):
        let samples = withSamples ? FileSamples.of(file, by: index) : .fatal
        return try ready(index, samples, file, version, isQuickTime: isQuickTime)
      }
    } catch {
      return Findings(.unreadable(error.description, error.number))
    }
  }

  private static func ready(
    _ index: MovieIndex, _ samples: FileSamples, _ file: some ByteSource<StorageError>, _ version: FileVersion,
    isQuickTime: Bool
  ) throws(StorageError) -> Findings {
    let tag = try ContentTag.make(layoutVersion: MovieIndex.layoutVersion, preamble: index.preamble, of: file, version)
    let allNotes = index.notes + samples.notes
    var notes = Array(allNotes.prefix(noteLimit))
    if allNotes.count > noteLimit { notes.append("and \(allNotes.count - noteLimit) more notes") }
    let content = Content(
      tag: tag, composition: Composition(storing: index),
      mediaType: isQuickTime ? try mediaType(of: index, file) : .mp4, movie: index.movie,
      isRecovered: index.isRecovered, index: samples.summary, notes: notes)
    var findings = Findings(.ready(content))
    findings.preamble = index.preamble
    findings.index = samples.index
    return findings
  }

  /// Returns QuickTime unless the brand (ISO/IEC 14496-12 §4.3) says otherwise. The served bytes keep the recorder's
  /// `ftyp`, and players rely on it.
  private static func mediaType(
    of index: MovieIndex, _ file: some ByteSource<StorageError>
  ) throws(StorageError) -> Recording.MediaType {
    var start = Array(index.preamble.prefix(12))
    if start.isEmpty, let first = index.body.first, first.upperBound - first.lowerBound >= 12 {
      start = try file.bytes(at: first.lowerBound, count: 12)
    }
    let hasBrand = start.count == 12 && start[4..<8].elementsEqual("ftyp".utf8)
    return hasBrand && !start[8..<12].elementsEqual("qt  ".utf8) ? .mp4 : .quickTime
  }
}

extension StorageError {
  /// The error number of the system call that failed; nil if none did.
  fileprivate var number: Errno? {
    if case .system(let number) = reason { number } else { nil }
  }
}
