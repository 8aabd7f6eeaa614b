internal import FootageDigest
package import FootageBase
package import FootageSystem

/// The strong entity tag of a recording, and its preamble's digest.
package enum ContentTag {
  /// The length in bytes of each of the three parts of the file (start, middle and end) from which the tag is made.
  private static let sampleLength: UInt64 = 64 * 1024

  /// Returns the first 128 bits of a SHA-256 in hexadecimal. The digest covers the layout version, the preamble, the
  /// size and modification time (64 bits each, most significant byte first), and 64 KiB each of the file's start,
  /// middle and end.
  ///
  /// - Throws: `StorageError` if the file cannot be read, or is shorter than its version says.
  package static func make(
    layoutVersion: UInt8, preamble: [UInt8], of file: some ByteSource<StorageError>, _ version: FileVersion
  ) throws(StorageError) -> String {
    var digest = SHA256()
    digest.update([layoutVersion])
    digest.update(preamble)
    digest.update(bigEndian(version.size) + bigEndian(UInt64(bitPattern: version.modifiedNanoseconds)))
    let length = min(sampleLength, version.size)
    for offset in [0, (version.size - length) / 2, version.size - length] {
      digest.update(try file.bytes(at: offset, count: Int(length)))
    }
    return Hexadecimal.encode(digest.finish().prefix(16))
  }

  /// Returns the tag of a version whose sample index was rebuilt by other rules under the same preamble. Its films have
  /// other segments, so that it must not share the tag of the version before.
  ///
  /// - Parameters:
  ///   - tag: the tag that `make` returns for the version.
  ///   - rules: the version of the rules that made the index.
  static func remade(_ tag: String, rules: Int) -> String {
    Hexadecimal.encode(SHA256.hash(Array("model \(rules) \(tag)".utf8)).prefix(16))
  }

  private static func bigEndian(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
  }
}
