/// A version of a recording that is open for reading: the source of a response body.

internal import FootageBase
package import FootageSystem

/// A version of a recording that is open for reading. It keeps its files open for as long as it exists, and is cheap to
/// copy.
package struct Representation: Sendable {
  package let mediaType: String
  /// The strong entity tag (RFC 9110 §8.8.3), in quotes.
  package let entityTag: String
  /// The modification time in seconds since 1970; nil if the view may change although the file does not.
  package let lastModified: Int64?
  /// The bytes to serve, from open files.
  package let bytes: BoundComposition
  /// The number of bytes at the start of the representation that are in memory. They belong to this version, even if
  /// the file changes.
  package let memoryPrefixByteCount: UInt64
  private let source: Source
  /// The other sources of a view of several recordings, without the first.
  private let others: [Source]

  /// A recorder's file from which bytes are sent.
  struct Source: Sendable {
    let file: RandomAccessFile
    let condition: Condition
    let validity: Recording.Validity

    /// The condition under which the bytes read from the file are those that were indexed.
    enum Condition: Sendable {
      /// No process has written to the file since it had this version.
      case unchanged(FileVersion)
      /// A recorder is writing to the file, but only after this number of bytes.
      case reaches(UInt64)
    }

    @inline(__always)
    fileprivate var isSteady: Bool {
      guard validity.holds else { return false }
      switch condition {
      case .unchanged(let version): return file.isStill(version)
      case .reaches(let length): return file.reaches(length)
      }
    }
  }

  init(
    mediaType: String, entityTag: String, lastModified: Int64?, bytes: BoundComposition,
    memoryPrefixByteCount: UInt64 = 0, source: Source, others: [Source] = []
  ) {
    self.mediaType = mediaType
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.bytes = bytes
    self.memoryPrefixByteCount = memoryPrefixByteCount
    self.source = source
    self.others = others
  }

  /// Marks the recordings as open for sending, so that they are not deleted to make room until a matching call of
  /// `endSending`. It is not tied to the lifetime of the value, because that would make every copy more expensive.
  package func beginSending() {
    source.validity.noteOpened()
    for source in others { source.validity.noteOpened() }
  }

  package func endSending() {
    source.validity.noteClosed()
    for source in others { source.validity.noteClosed() }
  }

  /// Returns the same representation with its first bytes in memory. Players request them first (`bytes=0-1`). Reads;
  /// may block.
  ///
  /// - Throws: `StorageError`; `.changed` if the recorder's file has changed since it was indexed.
  func steadied(_ byteCount: UInt64) throws(StorageError) -> Representation {
    let count = min(byteCount, bytes.length)
    let start = try bytes.bytes(at: 0, count: Int(count))
    guard isUnchanged() else { throw StorageError("read", source.file.path, .changed) }
    var steady = BoundComposition(start)
    steady.append(bytes.slice(in: count..<bytes.length))
    return Representation(
      mediaType: mediaType, entityTag: entityTag, lastModified: lastModified, bytes: steady,
      memoryPrefixByteCount: count, source: source)
  }

  /// Returns whether the recorder's file has not been written to since it was indexed. Call this after the last read of
  /// a turn and before sending the bytes. Calls `fstat`; allocates nothing and does not wait.
  ///
  /// Deleting or renaming the file changes nothing: its bytes remain for as long as this is held. An overwrite that
  /// restored the modification time is detected only when the file is examined again.
  package func isUnchanged() -> Bool {
    source.isSteady && (others.isEmpty || others.allSatisfy(\.isSteady))
  }
}
