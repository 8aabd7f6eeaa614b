/// A reusable buffer for bytes whose number is known only after they are written.
///
/// `append(addingCapacity:initializingWith:)` of Swift 6.3 does the same, but Debian's Swift library for arm64 is
/// older.
struct ByteRoom: Sendable {
  private var room: [UInt8] = []

  /// Appends the bytes that a closure writes to an array.
  ///
  /// - Parameter count: the most bytes that the closure may write.
  @inline(__always)
  mutating func append(atMost count: Int, to bytes: inout [UInt8], _ body: (inout OutputSpan<UInt8>) -> Void) {
    if room.count < count { room = [UInt8](repeating: 0, count: max(count, 2 * room.count)) }
    // Safe because the span covers the array, and bytes need no deinitialization before they are overwritten.
    let written = unsafe room.withUnsafeMutableBufferPointer { room in
      var span = unsafe OutputSpan(buffer: room, initializedCount: 0)
      body(&span)
      return unsafe span.finalize(for: room)
    }
    bytes.append(contentsOf: room[..<written])
  }
}
