/// Bytes of known length that can be read at any offset: a file, or memory in tests.

package protocol ByteSource {
  /// In bytes.
  var length: UInt64 { get }

  /// Fills the whole buffer with the bytes from `offset` on. May block.
  ///
  /// - Throws: `StorageError`, also where the bytes end before the buffer is full.
  func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError)
}

extension ByteSource {
  /// `count` bytes from `offset` on, as an array of their own. May block.
  package func bytes(at offset: UInt64, count: Int) throws(StorageError) -> [UInt8] {
    var failure: StorageError?
    // Safe because the buffer is the new array's own storage, all of which `read` fills or throws.
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      do throws(StorageError) {
        unsafe try read(at: offset, into: UnsafeMutableRawBufferPointer(buffer))
        initialized = count
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

/// A byte source in memory.
package struct MemoryByteSource: ByteSource, Sendable {
  package let bytes: [UInt8]

  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  package var length: UInt64 { UInt64(bytes.count) }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
    let count = buffer.count
    guard offset <= length, UInt64(count) <= length - offset else {
      throw StorageError("read", "memory", .endOfFile(offset: length))
    }
    // Safe because the range was checked just above.
    unsafe bytes.withUnsafeBytes {
      unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[Int(offset)...].prefix(count)))
    }
  }
}
