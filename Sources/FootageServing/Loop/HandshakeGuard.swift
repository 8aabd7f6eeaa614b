/// A guard that examines a client's handshake before TLS receives any of it.
///
/// OpenSSL reserves memory for a message as soon as its length is announced, 130 kB for a ClientHello, and keeps it as
/// long as the handshake lasts. With a few bytes each, a thousand clients could use up a machine's memory. Real
/// clients' messages are much shorter. The guard does no input or output, and exists only during the handshake.
struct HandshakeGuard {
  enum Verdict: Equatable {
    case fine
    /// The input begins with a letter, as a request without TLS does.
    case plaintext
    case tooLong
  }

  private enum Part {
    case recordHeader
    case record
    /// The messages can no longer be read, because they follow `ChangeCipherSpec` or are in encrypted records.
    case unreadable
  }

  private var part = Part.recordHeader
  private var byteCount = 0
  /// The part of the record's header that has arrived. `messageHeader` is the part of the message's header that has
  /// arrived.
  private var header: UInt64 = 0
  private var headerByteCount = 0
  private var messageHeader: UInt32 = 0
  private var messageHeaderByteCount = 0
  private var recordType: UInt8 = 0
  private var recordRest = 0
  private var messageRest = 0
  private var sawChangeCipherSpec = false

  /// The longest ClientHello in bytes. A browser's has less than 2 KiB, with keys that withstand quantum computers (RFC
  /// 8446 §4.1.2).
  static let longestHello = 16 * 1024
  /// The longest message other than a ClientHello, in bytes. The message with a client's certificates is the longest of
  /// these.
  static let longestMessage = 32 * 1024
  /// The longest handshake in bytes: all messages together, with their records.
  static let longestHandshake = 64 * 1024

  // RFC 8446 §5.1, §4.
  private static let changeCipherSpec: UInt8 = 20
  private static let handshake: UInt8 = 22
  private static let clientHello: UInt32 = 1

  /// - Parameters:
  ///   - bytes: the bytes that have just arrived.
  ///   - isTLS13: true if TLS 1.3 was negotiated; false if an earlier version was, or none yet.
  mutating func look(at bytes: UnsafeRawBufferPointer, isTLS13: Bool) -> Verdict {
    if byteCount == 0, let first = unsafe bytes.first, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(first) {
      return .plaintext
    }
    byteCount += bytes.count
    guard byteCount <= Self.longestHandshake else { return .tooLong }
    var position = 0
    while position < bytes.count {
      switch part {
      case .unreadable: return .fine
      case .recordHeader:
        // Safe because the position is below the count, here and below.
        header = unsafe header << 8 | UInt64(bytes[position])
        headerByteCount += 1
        position += 1
        if headerByteCount == 5 { beginRecord(isTLS13: isTLS13) }
      case .record:
        if recordType == Self.handshake, messageRest == 0 {
          messageHeader = unsafe messageHeader << 8 | UInt32(bytes[position])
          messageHeaderByteCount += 1
          position += 1
          recordRest -= 1
          if messageHeaderByteCount == 4 {
            guard beginMessage() else { return .tooLong }
          }
        } else {
          let rest = recordType == Self.handshake ? min(recordRest, messageRest) : recordRest
          let count = min(rest, bytes.count - position)
          position += count
          recordRest -= count
          if recordType == Self.handshake { messageRest -= count }
        }
        if recordRest == 0, part == .record { part = .recordHeader }
      }
    }
    return .fine
  }

  private mutating func beginRecord(isTLS13: Bool) {
    recordType = UInt8(truncatingIfNeeded: header >> 32)
    recordRest = Int(header & 0xFFFF)
    header = 0
    headerByteCount = 0
    if recordType == Self.changeCipherSpec { sawChangeCipherSpec = true }
    // Before 1.3, everything after it is encrypted. In 1.3 it means nothing, and a second ClientHello may follow.
    let isReadable =
      recordType == Self.changeCipherSpec || recordType == Self.handshake && (isTLS13 || !sawChangeCipherSpec)
    part = !isReadable ? .unreadable : recordRest == 0 ? .recordHeader : .record
  }

  private mutating func beginMessage() -> Bool {
    let isHello = messageHeader >> 24 == Self.clientHello
    messageRest = Int(messageHeader & 0xFF_FFFF)
    messageHeader = 0
    messageHeaderByteCount = 0
    return messageRest <= (isHello ? Self.longestHello : Self.longestMessage)
  }
}
