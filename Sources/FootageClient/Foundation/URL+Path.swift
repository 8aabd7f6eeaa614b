internal import FootageCore
internal import Foundation

extension FileFailure {
  /// A URL that names no file.
  struct NoFile: Error {
    let url: String

    var failure: FileFailure {
      FileFailure(.notFound, "'\(url)' is no file of this device: it has to begin with file:")
    }
  }
}

extension URL {
  /// As the system calls take it, percent-encoding undone.
  func pathOfFile() throws(FileFailure.NoFile) -> String {
    guard isFileURL else { throw FileFailure.NoFile(url: absoluteString) }
    return path(percentEncoded: false)
  }
}
