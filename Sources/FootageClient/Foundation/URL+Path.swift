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
  /// Returns the path as the system calls accept it, without percent-encoding.
  func pathOfFile() throws(FileFailure.NoFile) -> String {
    guard isFileURL else { throw FileFailure.NoFile(url: absoluteString) }
    return path(percentEncoded: false)
  }
}
