/// Looks at what a client sends in its handshake before TLS is given any of it.
///
/// OpenSSL makes room for a message as soon as its length is announced, 130 kB for a ClientHello, and keeps it for as
/// long as the handshake lasts: with a few bytes each, a thousand clients could take all of a machine's memory. No
/// client's messages are that long. Pure; lives as long as the handshake.
struct HandshakeGuard {
  enum Verdict: Equatable {
    case fine
    /// It begins with a letter, as a request without TLS does.
    case plaintext
    case tooLong
  }

  private enum Part {
    case recordHeader
    case record
    /// Behind `ChangeCipherSpec`, or in encrypted records: nothing can be read any more.
    case unreadable
  }

  private var part = Part.recordHeader
  private var byteCount = 0
  /// Of the record's header, or of the message's, as far as it has come.
  private var header: UInt64 = 0
  private var headerByteCount = 0
  private var messageHeader: UInt32 = 0
  private var messageHeaderByteCount = 0
  private var recordType: UInt8 = 0
  private var recordRest = 0
  private var messageRest = 0
  private var sawChangeCipherSpec = false

  /// In bytes; a browser's has less than 2 KiB, with keys that withstand quantum computers (RFC 8446 §4.1.2).
  static let longestHello = 16 * 1024
  /// In bytes; a client's certificates are the longest of the others.
  static let longestMessage = 32 * 1024
  /// In bytes; of all messages together, with what is around them.
  static let longestHandshake = 64 * 1024

  // RFC 8446 §5.1, §4.
  private static let changeCipherSpec: UInt8 = 20
  private static let handshake: UInt8 = 22
  private static let clientHello: UInt32 = 1

  /// - Parameters:
  ///   - bytes: what has just come.
  ///   - isTLS13: whether this version was agreed upon, as far as anything was.
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
    // Before 1.3 everything behind it is encrypted; in 1.3 it means nothing, and a second ClientHello may follow.
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
