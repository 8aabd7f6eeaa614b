internal import FootageMedia
internal import FootageSystem

/// A file that can be served, with the result of its examination.
struct IndexedFile {
  let version: FileVersion
  let content: FileReport.Content
  /// The SHA-256 of the preamble; empty if there is none.
  let preambleDigest: [UInt8]
  /// The SHA-256 of the sample index; empty if there is none.
  let indexDigest: [UInt8]
}

/// The result of an examination of one file in the folder.
enum IndexResult {
  case complete(IndexedFile, DerivedFiles)
  /// The file is incomplete, because a recorder is still writing it or never finished it.
  case incomplete(String, FileVersion)
  /// The reason is in the bytes, or in the kind of the file, so that only a different file under this name could change
  /// the result.
  case refused(String, FileVersion)
  /// The file crashed the process that was reading it, or exceeded its limits.
  case fatal(String, FileVersion)
  case gone
  /// The file was written to while it was read.
  case unsettled(FileVersion?)
  /// The examination failed, for a reason that may be temporary.
  case failed(String, FileVersion?)
}

extension IndexResult {
  /// Creates the result for a file that could not be examined.
  ///
  /// - Parameter path: the relative path for the list, which must not reveal the location of the recordings folder.
  init(_ error: StorageError, at path: RelativePath, _ version: FileVersion? = nil) {
    switch error.reason {
    // A folder on the way that has become a link leads elsewhere.
    case .system(.notFound), .system(.notAFolder), .system(.symbolicLink), .system(.crossDevice): self = .gone
    case .endOfFile, .wrongKind: self = .unsettled(version)
    case .system, .changed, .away:
      self = .failed(StorageError(error.action, path.text, error.reason).description, version)
    }
  }

  /// Creates the result of an examination. Checks whether the file was changed meanwhile; calls `fstat`.
  init(_ examination: FileExamination, of file: RandomAccessFile) {
    let version = file.openingStatus.version
    guard file.isStill(version) else {
      self = .unsettled(version)
      return
    }
    switch examination.outcome {
    case .died(let words):
      self = .fatal(
        "\(words): the file is ignored until it changes or Footage is updated; please report this, with the file",
        version)
    case .unavailable(let words): self = .failed(words, version)
    case .report(let report):
      switch report.verdict {
      case .incomplete(let reason): self = .incomplete(reason, version)
      case .refused(let reason): self = .refused(reason, version)
      case .unreadable(let reason, let number): self = number == nil ? .unsettled(version) : .failed(reason, version)
      case .ready(let content):
        do throws(StorageError) {
          let files = examination.files
          self = .complete(
            IndexedFile(
              version: version, content: content, preambleDigest: try Self.digest(of: files.preamble),
              indexDigest: try Self.digest(of: files.index)), files)
        } catch {
          self = .failed(error.description, version)
        }
      }
    }
  }
  private static func digest(of bytes: BoundComposition?) throws(StorageError) -> [UInt8] {
    guard let bytes else { return [] }
    return try DerivedFileStore.digest(of: bytes)
  }
}
