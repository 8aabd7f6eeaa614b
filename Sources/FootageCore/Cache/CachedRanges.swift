internal import FootageBase
internal import FootageSystem

/// The file of a recording, of which only the cached bytes can be read.
struct CachedRanges: ByteSource, Sendable {
  let file: any CacheFile
  let length: UInt64
  var available: RangeSet

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    guard available.contains(offset..<offset.addingClamped(UInt64(buffer.count))) else {
      throw StorageError("read", "a partly cached recording", .endOfFile(offset: available.end(from: offset)))
    }
    let bytes = try file.read(at: offset, count: buffer.count)
    // Safe because exactly as many bytes were read as the buffer holds.
    unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
  }
}
