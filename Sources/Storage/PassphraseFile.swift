/// The first line of a file or a pipe: how a passphrase is handed over.

internal import CLinux
internal import Glibc

package enum PassphraseFile {
  /// More is no passphrase.
  private static let limit = 4096

  /// Reads up to the first line end, which does not count, or to the end. A pipe is waited for. Calls `openat` and
  /// `read`; may block.
  ///
  /// - Throws: `StorageError`, also where the line is longer than 4 KiB.
  package static func read(from path: String) throws(StorageError) -> [UInt8] {
    let descriptor = unsafe clinux_openat(AT_FDCWD, path, O_RDONLY | O_NOCTTY, 0)
    guard descriptor >= 0 else { throw .system("open", path) }
    defer { close(descriptor) }
    var line: [UInt8] = []
    while line.count <= limit {
      var byte: UInt8 = 0
      let count = unsafe Glibc.read(descriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system("read", path) }
      if count == 0 || byte == UInt8(ascii: "\n") {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
      }
      line.append(byte)
    }
    throw StorageError("read", path, .wrongKind("a file whose first line has more than \(limit) bytes"))
  }
}
