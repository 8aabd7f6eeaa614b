/// Where TLS records gather until they are sent: one buffer a loop, of fixed size, shared by its connections in turn.
@safe
package final class RecordBuffer {
  private let storage: UnsafeMutableRawBufferPointer
  private let capacity: Int
  private var used = 0

  /// How many bytes wait to be sent.
  package var count: Int { used }

  /// - Parameter capacity: in bytes; records that do not fit are refused until the buffer is emptied.
  package init(capacity: Int) {
    self.capacity = capacity
    unsafe storage = .allocate(byteCount: capacity, alignment: 64)
  }

  deinit { unsafe storage.deallocate() }

  /// The bytes that wait; valid until the next call.
  package var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: storage[..<used]) }

  package func removeAll() { used = 0 }

  /// - Returns: false where there is no room for all of it; then nothing was taken.
  package func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count <= capacity - used else { return false }
    // Safe because the room was checked just above.
    unsafe UnsafeMutableRawBufferPointer(rebasing: storage[used...]).copyMemory(from: bytes)
    used += bytes.count
    return true
  }
}
