internal import FootageMedia
internal import FootageSystem

/// A file that can be served, by what was found in it.
struct IndexedFile {
  let version: FileVersion
  let content: FileReport.Content
  /// SHA-256; empty where there is no preamble.
  let preambleDigest: [UInt8]
  /// SHA-256; empty where there is no sample index.
  let indexDigest: [UInt8]
}

/// What is found out about one file of the folder.
enum IndexResult {
  case complete(IndexedFile, DerivedFiles)
  /// Cut short: by a recorder that is still at it, or that never came to its end.
  case incomplete(String, FileVersion)
  /// The reason lies in the bytes, or in what the name stands for, so that only another file could change it.
  case refused(String, FileVersion)
  /// It ended the process that read it.
  case fatal(String, FileVersion)
  case gone
  /// It was written to while it was read.
  case unsettled(FileVersion?)
  /// Nothing was found out, for a reason that may pass.
  case failed(String, FileVersion?)
}

extension IndexResult {
  /// Why nothing was found out about a file.
  ///
  /// - Parameter path: what the list may say of its place: nobody else need know where the folder is.
  init(_ error: StorageError, at path: RelativePath, _ version: FileVersion? = nil) {
    switch error.reason {
    // A folder on the way that has become a link leads elsewhere.
    case .system(.notFound), .system(.notAFolder), .system(.symbolicLink), .system(.crossDevice): self = .gone
    case .endOfFile, .wrongKind: self = .unsettled(version)
    case .system, .changed, .away:
      self = .failed(StorageError(error.action, path.text, error.reason).description, version)
    }
  }

  /// What a look came to. Asks whether the file was changed meanwhile; calls `fstat`.
  init(_ examination: FileExamination, of file: RandomAccessFile) {
    let version = file.openingStatus.version
    guard file.isStill(version) else {
      self = .unsettled(version)
      return
    }
    switch examination.outcome {
    case .died(let words):
      self = .fatal(
        "\(words): it is left alone until it changes or Footage is updated; please report it with the file", version)
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
