internal import FootageDigest
internal import FootageBase
internal import FootageSystem

/// A line in a list of kept recordings. It contains the name that the recording had when it was protected. It also
/// contains the size and digest by which the file is recognized under another name.
struct KeptLine: Hashable {
  /// The name without the extension, as it was listed.
  let name: String
  let identity: Identity

  /// The identity of a file, whatever its name.
  struct Identity: Hashable {
    /// The size in bytes.
    let size: UInt64
    /// The digest as computed by `identity(of:)`.
    let digest: String
  }

  init(name: String, _ identity: Identity) {
    self.name = name
    self.identity = identity
  }

  /// Parses `sha256-3x64k/DIGEST SIZE NAME`, with the name percent-encoded; nil for anything else, such as a comment or
  /// a line that a later version of Footage wrote.
  init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].starts(with: Self.method.utf8),
      let size = String(parts[1]).flatMap({ UInt64($0) }),
      let bytes = PercentEncoding.decode(parts[2]), let name = String(validating: bytes, as: UTF8.self), !name.isEmpty
    else { return nil }
    let digest = String(decoding: parts[0].dropFirst(Self.method.utf8.count), as: UTF8.self)
    guard digest.utf8.count == 64 else { return nil }
    self.init(name: name, Identity(size: size, digest: digest))
  }

  var text: String { "\(Self.method)\(identity.digest) \(identity.size) \(PercentEncoding.encodePath(name))" }

  private static let method = "sha256-3x64k/"
  private static let sampleLength: UInt64 = 64 * 1024

  /// Returns the identity of a file that no process is writing to. The digest is a SHA-256 over 64 KiB each of its
  /// start, middle and end, in hexadecimal. Together with the size it is unique in practice, because no two recordings
  /// have the same pictures and the same table of sizes. Reads; blocks.
  static func identity(of file: RandomAccessFile) throws(StorageError) -> Identity {
    let size = file.openingStatus.version.size
    let length = min(sampleLength, size)
    var digest = SHA256()
    for offset in [0, (size - length) / 2, size - length] {
      digest.update(try file.bytes(at: offset, count: Int(length)))
    }
    return Identity(size: size, digest: Hexadecimal.encode(digest.finish()))
  }
}

/// A comment beside a line, which names the viewer who owns the line. A program that does not know such comments leaves
/// them unchanged, and the line still protects.
struct KeptLineRemark: Hashable {
  let viewer: String
  let identity: KeptLine.Identity

  init(viewer: String, identity: KeptLine.Identity) {
    self.viewer = viewer
    self.identity = identity
  }

  private static let prefix = "# viewer "

  /// Parses `# viewer NAME DIGEST SIZE`, with the name percent-encoded; nil for anything else.
  init?(_ text: String) {
    guard text.utf8.starts(with: Self.prefix.utf8) else { return nil }
    let parts = text.utf8.dropFirst(Self.prefix.utf8.count).split(
      separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard parts.count == 3, let bytes = PercentEncoding.decode(parts[0]),
      let viewer = String(validating: bytes, as: UTF8.self), !viewer.isEmpty, parts[1].count == 64,
      let size = String(parts[2]).flatMap({ UInt64($0) })
    else { return nil }
    self.viewer = viewer
    identity = KeptLine.Identity(size: size, digest: String(decoding: parts[1], as: UTF8.self))
  }

  var text: String { "\(Self.prefix)\(PercentEncoding.encodePath(viewer)) \(identity.digest) \(identity.size)" }
}
