/// A byte source in memory.
package struct MemoryByteSource: ByteSource, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var length: UInt64 { UInt64(bytes.count) }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(EndOfBytes) {
    let count = buffer.count
    guard offset <= length, UInt64(count) <= length - offset else { throw EndOfBytes(offset: length) }
    // Safe because the range was checked just above.
    unsafe bytes.withUnsafeBytes {
      unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)...].prefix(count)))
    }
  }
}

/// An error that says that more bytes were requested than there are.
package struct EndOfBytes: Error, Hashable, CustomStringConvertible {
  /// The offset at which the bytes end.
  package let offset: UInt64

  package init(offset: UInt64) { self.offset = offset }

  package var description: String { "the bytes end at byte \(offset), before the requested bytes" }
}
