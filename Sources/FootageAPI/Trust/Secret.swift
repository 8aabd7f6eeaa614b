/// Bytes that must not be left in memory: they are overwritten when the last reference to this object goes away.
///
/// Two secrets with the same bytes are equal. The description does not contain the bytes.
@safe
package final class Secret: Hashable, CustomStringConvertible, CustomReflectable, @unchecked Sendable {
  // Safe to share because it is allocated and filled in `init`, never changes, and lives as long as this object.
  private let bytes: UnsafeMutableBufferPointer<UInt8>

  /// Copies the bytes. The caller remains responsible for wiping the original.
  package init(_ original: some Collection<UInt8>) {
    let count = original.count
    // The buffer is never empty, so that it has a base address.
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(count, 1))
    unsafe bytes.initialize(repeating: 0)
    for (index, byte) in zip(0..<count, original) { unsafe bytes[index] = byte }
    unsafe self.bytes = bytes
    self.count = count
  }

  /// Copies the UTF-8 bytes of a text.
  package convenience init(_ text: String) { self.init(text.utf8) }

  deinit {
    unsafe bytes.update(repeating: 0)
    unsafe bytes.deallocate()
  }

  package let count: Int

  package var isEmpty: Bool { count == 0 }

  /// Calls `body` with the bytes. The buffer has an address even if it is empty.
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // Safe because the buffer has at least `count` bytes, and this object stays alive until `body` returns.
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(UnsafeBufferPointer(start: bytes.baseAddress, count: count))
  }

  package static func == (left: Secret, right: Secret) -> Bool {
    unsafe left.withBytes { left in unsafe right.withBytes { right in unsafe left.elementsEqual(right) } }
  }

  package func hash(into hasher: inout Hasher) {
    unsafe withBytes { bytes in unsafe hasher.combine(bytes: UnsafeRawBufferPointer(bytes)) }
  }

  package var description: String { "a secret" }

  package var customMirror: Mirror { Mirror(self, children: []) }
}
