internal import FootageSystem

/// How many of the bytes that a server sends go out in small records.
///
/// A record can be read when all of it has come, and the first round trip brings ten segments of it (RFC 6928): with a
/// ticket before them 16 KiB take two. So the first records are small, for as much as the first round trip brings.
struct RecordSizing {
  /// When something was last sent; never, for the first.
  private var lastSend = Deadline(milliseconds: 0)

  /// Of a small record, in bytes.
  static let smallRecord = 4 * 1024
  private static let smallRecordsInARow = 3
  /// After so long without sending, the kernel begins as if the connection were new (RFC 5681 §4.1).
  private static let pauseMilliseconds: UInt64 = 200

  /// Some bytes are sent now.
  ///
  /// - Returns: how many small records they begin with; what is left for large ones is never empty.
  mutating func smallRecordCount(in byteCount: Int, at now: Deadline) -> Int {
    defer { lastSend = now }
    guard lastSend.milliseconds &+ Self.pauseMilliseconds <= now.milliseconds else { return 0 }
    return min(Self.smallRecordsInARow, max(0, byteCount - 1) / Self.smallRecord)
  }
}
