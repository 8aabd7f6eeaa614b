internal import FootageCore
internal import Foundation

extension FileFailure {
  /// The error for a URL that does not refer to a file.
  struct NoFile: Error {
    let url: String

    var failure: FileFailure {
      FileFailure(.notFound, "'\(url)' is not a file on this device: use a URL that begins with file:")
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
