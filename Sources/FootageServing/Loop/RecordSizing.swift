internal import FootageSystem

/// The decision how many of the bytes that a server sends go out in small records.
///
/// A record can be read only when all of it has arrived. The first round trip brings ten segments (RFC 6928), so that
/// 16 KiB take two round trips if a ticket comes before them. So the first records are small, for as many bytes as the
/// first round trip brings.
struct RecordSizing {
  /// The time of the last send; 0 before the first one.
  private var lastSend = Deadline(milliseconds: 0)

  /// The size of a small record in bytes.
  static let smallRecord = 4 * 1024
  private static let smallRecordsInARow = 3
  /// The time without sending after which the kernel begins as if the connection were new (RFC 5681 §4.1).
  private static let pauseMilliseconds: UInt64 = 200

  /// Records that bytes are sent now.
  ///
  /// - Returns: the number of small records with which they begin; the rest for large records is never empty.
  mutating func smallRecordCount(in byteCount: Int, at now: Deadline) -> Int {
    defer { lastSend = now }
    guard lastSend.milliseconds &+ Self.pauseMilliseconds <= now.milliseconds else { return 0 }
    return min(Self.smallRecordsInARow, max(0, byteCount - 1) / Self.smallRecord)
  }
}
