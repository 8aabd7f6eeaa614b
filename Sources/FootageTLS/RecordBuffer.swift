/// A buffer in which TLS records gather until they are sent. Each loop has one of fixed size, which its connections
/// share in turn.
@safe
package final class RecordBuffer {
  private let storage: UnsafeMutableRawBufferPointer
  private let capacity: Int
  private var used = 0

  /// The number of bytes waiting to be sent.
  package var count: Int { used }

  /// - Parameter capacity: in bytes; records that do not fit are refused until the buffer is emptied.
  package init(capacity: Int) {
    self.capacity = capacity
    unsafe storage = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit { unsafe storage.deallocate() }

  /// The bytes waiting to be sent; valid until the next call.
  package var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: storage[..<used]) }

  package func removeAll() { used = 0 }

  /// - Returns: false if not all of the bytes fit; then none are appended.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= capacity - used else { return false }
    // Safe because the room was checked just above.
    unsafe UnsafeMutableRawBufferPointer(rebasing: storage[used...]).copyMemory(from: bytes)
    used += bytes.count
    return true
  }
}
