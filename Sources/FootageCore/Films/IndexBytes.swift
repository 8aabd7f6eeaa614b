internal import FootageBase
internal import FootageSystem

/// The bytes of a sample index: in a file of the cache, or in memory if they could not be kept.
struct IndexBytes: ByteSource, Sendable {
  private enum Place: Sendable {
    case memory([UInt8])
    case file(any CacheFile)
  }

  private let place: Place
  let length: UInt64

  /// The largest size of an index in bytes. An index of a day of 30 pictures a second with sound has 29 MB.
  static let limit: UInt64 = 64 << 20

  init(_ bytes: [UInt8]) {
    place = .memory(bytes)
    length = UInt64(bytes.count)
  }

  /// - Parameter length: the length of the index, with which the file begins.
  init(_ file: any CacheFile, length: UInt64) {
    place = .file(file)
    self.length = length
  }

  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    let end = offset.addingClamped(UInt64(buffer.count))
    guard end <= length else { throw StorageError("read", "a sample index", .endOfFile(offset: length)) }
    switch place {
    case .memory(let bytes):
      // Safe because the range was checked just above.
      unsafe bytes.withUnsafeBytes { all in
        unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: all[Int(offset)..<Int(end)]))
      }
    case .file(let file):
      let bytes = try file.read(at: offset, count: buffer.count)
      // Safe because as many bytes were read as the buffer holds.
      unsafe bytes.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
    }
  }
}
