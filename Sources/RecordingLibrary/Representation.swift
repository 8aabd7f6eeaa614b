/// One version of a recording, open for reading: what a response body is made of.

package import Storage

/// Holds its descriptors for as long as it lives; cheap to copy.
package struct Representation: Sendable {
  package let mediaType: String
  /// Strong (RFC 9110 §8.8.3), in quotes.
  package let entityTag: String
  /// Seconds since 1970.
  package let lastModified: Int64
  /// The head, where there is one, and ranges of the recorder's file.
  package let slices: SliceList
  private let file: RandomAccessFile
  private let version: FileVersion

  init(
    mediaType: String, entityTag: String, lastModified: Int64, slices: SliceList, file: RandomAccessFile,
    version: FileVersion
  ) {
    self.mediaType = mediaType
    self.entityTag = entityTag
    self.lastModified = lastModified
    self.slices = slices
    self.file = file
    self.version = version
  }

  /// Whether nobody wrote to the recorder's file since it was indexed; to be asked after the last read of a turn and
  /// before sending what was read. Calls `fstat`; allocates nothing, waits for nothing.
  ///
  /// That the file was deleted or renamed changes nothing: its bytes stay for as long as this is held.
  package func isUnchanged() -> Bool { file.isStill(version) }
}
