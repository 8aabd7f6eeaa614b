internal import FootageSystem

/// The decision how many of a server's bytes are sent in small records.
///
/// A record can be read only when all of it has arrived. The first round trip of a connection carries ten segments (RFC
/// 6928), so a record of 16 KiB after a session ticket takes two round trips. The first records are therefore small,
/// for as many bytes as the first round trip carries.
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
  /// - Returns: the number of small records with which to begin; at least one byte remains for a large record.
  mutating func smallRecordCount(in byteCount: Int, at now: Deadline) -> Int {
    defer { lastSend = now }
    guard lastSend.milliseconds &+ Self.pauseMilliseconds <= now.milliseconds else { return 0 }
    return min(Self.smallRecordsInARow, max(0, byteCount - 1) / Self.smallRecord)
  }
}
