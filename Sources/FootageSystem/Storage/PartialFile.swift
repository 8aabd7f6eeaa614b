/// A file that is elsewhere, of which some is kept here and the rest is fetched when it is read.
package protocol PartialFile: Sendable {
  /// Waits until a range can be read at once. Holds up no thread.
  ///
  /// - Throws: `StorageError.away` where it cannot be had.
  func prepare(_ range: Range<UInt64>) async throws(StorageError)

  /// As `RandomAccessFile.read`: fills the buffer, and fetches what is not here. Blocks for as long as that takes, within
  /// the deadlines of whoever fetches.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError)

  /// As `RandomAccessFile.readImmediately`: what is here already. Never waits.
  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> RandomAccessFile.ImmediateRead
}
