internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// What one look at a file's bytes came to: all that is known of it, but its place, its times and its writer.
struct FileReport: Equatable, Sendable {
  /// What is served of a file, and what the list says of it.
  struct Content: Equatable, Sendable {
    /// The entity tag without its quotes: 32 hexadecimal digits.
    var tag: String
    /// The preamble, where there is one, and ranges of the file.
    var composition: Composition
    var mediaType: Recording.MediaType
    var movie: MovieSummary
    var isRecovered: Bool
    /// Nil where whether an index can be made could not be found out, for a reason that may pass.
    var index: IndexSummary?
    /// What is odd about it, a sentence each.
    var notes: [String]
  }

  /// A report, and what is to be kept of the file beside it.
  struct Findings {
    var report: FileReport
    /// Empty where there is none.
    var preamble: [UInt8] = []
    /// The sample index; empty where there is none.
    var index: [UInt8] = []

    init(_ verdict: Verdict) { report = FileReport(verdict: verdict) }
  }

  enum Verdict: Equatable, Sendable {
    case ready(Content)
    /// Cut short: by a recorder that is still at it, or that never came to its end.
    case incomplete(String)
    /// Only other bytes could change it.
    case refused(String)
    /// The bytes could not be had; nil where they ended before the length that the file had.
    case unreadable(String, Errno?)
  }

  var verdict: Verdict

  /// The most notes that are kept of one file.
  private static let noteLimit = 32
  /// The most pieces of a file that are served: each is remembered for as long as the recording is listed.
  static let rangeLimit = 4_096

  /// Looks at an open file. Reads its headers and some samples of it; blocks.
  ///
  /// - Parameters:
  ///   - file: what is read; its version is what it was when it was opened.
  ///   - version: goes into the tag.
  ///   - isQuickTime: whether its name ends in `.mov`.
  ///   - withSamples: whether to make the sample index, too.
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
            "it would be served in \(index.body.count) pieces, which is more than \(rangeLimit): write it again"))
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
    if allNotes.count > noteLimit { notes.append("and \(allNotes.count - noteLimit) more of that kind") }
    let content = Content(
      tag: tag, composition: Composition(storing: index),
      mediaType: isQuickTime ? try mediaType(of: index, file) : .mp4, movie: index.movie,
      isRecovered: index.isRecovered, index: samples.summary, notes: notes)
    var findings = Findings(.ready(content))
    findings.preamble = index.preamble
    findings.index = samples.index
    return findings
  }

  /// QuickTime where the brand (ISO/IEC 14496-12 §4.3) does not say otherwise: what is served keeps the recorder's
  /// `ftyp`, and players judge by it.
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
  /// Of the system call that failed; nil where none did.
  fileprivate var number: Errno? {
    if case .system(let number) = reason { number } else { nil }
  }
}
