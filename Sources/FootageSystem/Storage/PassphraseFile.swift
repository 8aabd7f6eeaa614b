/// A passphrase in the first line of a file or a pipe.
package enum PassphraseFile {
  /// The longest passphrase that is accepted, in bytes.
  private static let limit = 4096

  /// The possible readings of a file.
  package struct Readings {
    package let passphrase: [UInt8]
    /// The passphrase with the byte order mark with which the file begins; nil if it has none.
    package let withMark: [UInt8]?
  }

  /// Reads up to the first line end, which is not part of the passphrase, or to the end of the file. It reads byte by
  /// byte, since the rest of a pipe is for another reader. It waits for a pipe. A byte order mark at the beginning is
  /// left out. Calls `openat` and `read`; may block.
  ///
  /// - Throws: `StorageError`, also if the line is longer than 4 KiB, or in UTF-16.
  package static func read(from path: String) throws(StorageError) -> [UInt8] { try readings(from: path).passphrase }

  /// Reads the passphrase without and with a byte order mark. Earlier versions treated the mark as a part of the
  /// passphrase, so the user's data may be locked with it.
  package static func readings(from path: String) throws(StorageError) -> Readings {
    let file = try StorageError.of("open", path) { () throws(Errno) in try FileDescriptor.open(path, .reading) }
    var line: [UInt8] = []
    var byte: [UInt8] = [0]
    while line.count <= limit {
      let count = try StorageError.of("read", path) { () throws(Errno) in
        // Safe because the buffer belongs to the array.
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
