/// A file whose bytes are stored elsewhere, for example in an object store. A part of them is also kept on this
/// machine; the rest is fetched when it is read.
package protocol PartialFile: Sendable {
  /// Waits until a range can be read without waiting for a network. Blocks no thread.
  ///
  /// - Throws: `StorageError.away` if it cannot be fetched.
  func prepare(_ range: Range<UInt64>) async throws(StorageError)

  /// Fills the buffer as `RandomAccessFile.read` does, and fetches the bytes that are not on this machine. Blocks for
  /// as long as that takes, within the deadlines of the fetch.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError)

  /// Reads the bytes that are on this machine already, as `RandomAccessFile.readImmediately` does. Never waits.
  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> RandomAccessFile.ImmediateRead
}
