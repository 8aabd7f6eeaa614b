/// The first line of a file or a pipe: how a passphrase is handed over.
package enum PassphraseFile {
  /// More is no passphrase.
  private static let limit = 4096

  /// What a file may say.
  package struct Readings {
    package let passphrase: [UInt8]
    /// The same with the byte order mark that the file begins with; nil where it has none.
    package let withMark: [UInt8]?
  }

  /// Reads up to the first line end, which does not count, or to the end: byte by byte, since what follows in a pipe is
  /// for somebody else. A pipe is waited for. A byte order mark before it does not count. Calls `openat` and `read`; may
  /// block.
  ///
  /// - Throws: `StorageError`, also where the line is longer than 4 KiB, or in UTF-16.
  package static func read(from path: String) throws(StorageError) -> [UInt8] { try readings(from: path).passphrase }

  /// The same, for whoever may have locked something with the mark, as versions before did that did not know of it.
  package static func readings(from path: String) throws(StorageError) -> Readings {
    let file = try StorageError.of("open", path) { () throws(Errno) in try FileDescriptor.open(path, .reading) }
    var line: [UInt8] = []
    var byte: [UInt8] = [0]
    while line.count <= limit {
      let count = try StorageError.of("read", path) { () throws(Errno) in
        // Safe because the buffer is the array's own.
        try unsafe byte.withUnsafeMutableBufferPointer { (buffer) throws(Errno) in
          unsafe try file.read(into: UnsafeMutableRawBufferPointer(buffer))
        }
      }
      if count == 0 || byte[0] == UInt8(ascii: "\n") {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        let passphrase = Array(try TextFile.text(in: line, of: path))
        return Readings(passphrase: passphrase, withMark: passphrase.count < line.count ? line : nil)
      }
      line.append(byte[0])
    }
    throw StorageError("read", path, .wrongKind("a file whose first line has more than \(limit) bytes"))
  }
}
