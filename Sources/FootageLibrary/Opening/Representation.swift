/// One version of a recording, open for reading: what a response body is made of.

internal import FootageBase
package import FootageSystem

/// Holds its descriptors for as long as it lives; cheap to copy.
package struct Representation: Sendable {
  package let mediaType: String
  /// Strong (RFC 9110 §8.8.3), in quotes.
  package let entityTag: String
  /// Seconds since 1970; nil where what it shows may change without the file.
  package let lastModified: Int64?
  /// All that is served, out of open files.
  package let bytes: BoundComposition
  /// So many bytes at its start lie in memory: they are this version's, whatever happens to the file.
  package let memoryPrefixByteCount: UInt64
  private let source: Source
  /// Of a view of several recordings, all but the first.
  private let others: [Source]

  /// A recorder's file that is sent from.
  struct Source: Sendable {
    let file: RandomAccessFile
    let condition: Condition
    let validity: Recording.Validity

    /// What has to be true of the file, so that what was read of it is what was indexed.
    enum Condition: Sendable {
      /// Nobody wrote to it since it had this version.
      case unchanged(FileVersion)
      /// A recorder writes to it, behind so many bytes.
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

  /// Somebody holds it open to send it, so that it is not deleted to make room for as long; to be called once more by
  /// `endSending`. Not part of the lifetime, since a copy would cost each read.
  package func beginSending() {
    source.validity.noteOpened()
    for source in others { source.validity.noteOpened() }
  }

  package func endSending() {
    source.validity.noteClosed()
    for source in others { source.validity.noteClosed() }
  }

  /// The same with its first bytes in memory, where the probes of players fall (`bytes=0-1`). Reads; may block.
  ///
  /// - Throws: `StorageError`; `.changed` where the recorder's file is no longer the one that was indexed.
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

  /// Whether nobody wrote to the recorder's file since it was indexed; to be asked after the last read of a turn and
  /// before sending what was read. Calls `fstat`; allocates nothing, waits for nothing.
  ///
  /// That the file was deleted or renamed changes nothing: its bytes stay for as long as this is held. An overwriting
  /// that put the modification time back is known once the file was looked at again.
  package func isUnchanged() -> Bool {
    source.isSteady && (others.isEmpty || others.allSatisfy(\.isSteady))
  }
}
