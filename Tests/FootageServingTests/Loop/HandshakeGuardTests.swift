import Testing

@testable import FootageServing

@Suite struct HandshakeGuardTests {
  /// Returns a record around these bytes (RFC 8446 §5.1).
  private static func record(_ type: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [type, 3, 1, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  /// Returns a message's header that announces a length, and the given number of bytes of the message (RFC 8446 §4).
  private static func message(_ type: UInt8, announcing length: Int, of count: Int) -> [UInt8] {
    [type, UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)] + Array(repeating: 0, count: count)
  }

  private static func whole(_ type: UInt8, _ length: Int) -> [UInt8] {
    message(type, announcing: length, of: length)
  }

  /// Returns the verdict on these bytes, when they arrive in pieces of this size.
  private func verdict(_ bytes: [UInt8], pieces: Int, isTLS13: Bool = false) -> HandshakeGuard.Verdict {
    var look = HandshakeGuard()
    for start in stride(from: 0, to: bytes.count, by: pieces) {
      let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
      let verdict = unsafe piece.withUnsafeBytes { unsafe look.look(at: $0, isTLS13: isTLS13) }
      if verdict != .fine { return verdict }
    }
    return .fine
  }

  @Test(arguments: [1, 3, 7, 100_000])
  func `what clients send is fine, and what announces too much is not, in whatever pieces it comes`(pieces: Int) {
    let changeCipherSpec = Self.record(20, [1])
    let hello = Self.record(22, Self.whole(1, 512))
    let tooLong = Self.message(1, announcing: HandshakeGuard.longestHello + 1, of: 8)
    for (bytes, isTLS13, expected) in [
      (hello, false, HandshakeGuard.Verdict.fine),
      (Self.record(22, Self.message(1, announcing: HandshakeGuard.longestHello, of: 100)), false, .fine),
      (Self.record(22, tooLong), false, .tooLong),
      // The header is spread over two records.
      (Self.record(22, Array(tooLong[..<2])) + Self.record(22, Array(tooLong[2...])), false, .tooLong),
      // A second message, as after a HelloRetryRequest, with and without the meaningless record.
      (hello + Self.record(22, tooLong), true, .tooLong),
      (hello + changeCipherSpec + Self.record(22, tooLong), true, .tooLong),
      // Certificates may be longer.
      (hello + Self.record(22, Self.message(11, announcing: 20_000, of: 100)), false, .fine),
      (hello + Self.record(22, Self.message(11, announcing: 40_000, of: 100)), false, .tooLong),
      // After this record TLS 1.2 is encrypted, so this is not a message of type 1.
      (hello + changeCipherSpec + Self.record(22, [1, 0xFF, 0xFF, 0xFF, 9, 9]), false, .fine),
      (hello + Self.record(23, [1, 0xFF, 0xFF, 0xFF, 9, 9]), true, .fine),
      // Two messages in one record.
      (Self.record(22, Self.whole(1, 100) + tooLong), false, .tooLong),
      (Self.record(22, Self.whole(14, 0) + Self.whole(1, 100)), false, .fine),
    ] {
      #expect(verdict(bytes, pieces: pieces, isTLS13: isTLS13) == expected, "\(bytes.prefix(16))")
    }
  }

  @Test func `a handshake is not endless, whatever it consists of`() {
    let records = (0..<20).flatMap { _ in Self.record(22, Self.whole(1, 4_000)) }
    #expect(verdict(records, pieces: 1_000) == .tooLong)
  }

  @Test(arguments: [
    ("GET / HTTP/1.1", true), ("OPTIONS", true), ("P", true), ("\u{16}\u{3}\u{1}", false), ("get", false),
  ])
  func `a request is told from a handshake by its first letter`(text: String, isPlain: Bool) {
    #expect((verdict(Array(text.utf8), pieces: 100) == .plaintext) == isPlain)
  }

  @Test func `a letter behind the first byte is nothing special`() {
    #expect(verdict([22] + Array("GET ".utf8), pieces: 1) == .fine)
  }
}
