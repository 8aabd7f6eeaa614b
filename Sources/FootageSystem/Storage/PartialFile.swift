/// A file that is stored elsewhere. Some of it is kept here, and the rest is fetched when it is read.
package protocol PartialFile: Sendable {
  /// Waits until a range can be read at once. Blocks no thread.
  ///
  /// - Throws: `StorageError.away` if it cannot be fetched.
  func prepare(_ range: Range<UInt64>) async throws(StorageError)

  /// Fills the buffer as `RandomAccessFile.read` does, and fetches the bytes that are not here. Blocks for as long as
  /// that takes, within the deadlines of the fetch.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError)

  /// Reads the bytes that are here already, as `RandomAccessFile.readImmediately` does. Never waits.
  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> RandomAccessFile.ImmediateRead
}
