internal import FootageBase
internal import FootageSystem

/// The file of a recording, as far as its bytes are cached.
struct CachedRanges: ByteSource, Sendable {
  let file: any CacheFile
  let length: UInt64
  var available: RangeSet

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    guard available.contains(offset..<offset.addingClamped(UInt64(buffer.count))) else {
      throw StorageError("read", "a recording that is not all here", .endOfFile(offset: available.end(from: offset)))
    }
    let bytes = try file.read(at: offset, count: buffer.count)
    // Safe because exactly as many bytes were read as the buffer holds.
    unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
  }
}
