/// The layout of the parts in a reply is untrusted input.

import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct ReaderReplyTests {
  private static let reply = ReaderReply(preambleLength: 100, indexLength: 20, reportLength: 3)

  @Test func `a reply is read as it was written, and says what lies where`() {
    let reply = Self.reply
    #expect(ReaderReply(encoded: reply.encoded) == reply)
    #expect(reply.encoded.count == ReaderReply.limit)
    #expect(reply.indexRange == 100..<120)
    #expect(reply.reportRange == 120..<123)
  }

  @Test func `one that is cut short or goes on is none`() {
    let bytes = Self.reply.encoded
    for count in 0..<bytes.count { #expect(ReaderReply(encoded: Array(bytes.prefix(count))) == nil) }
    #expect(ReaderReply(encoded: bytes + [0]) == nil)
    // The form that an earlier program wrote.
    #expect(ReaderReply(encoded: Array(bytes.prefix(16))) == nil)
  }

  @Test(arguments: [UInt64.max, UInt64.max - 100, 1 << 40, 600 << 20] as [UInt64])
  func `what would be longer than it ever is, is none`(count: UInt64) {
    for place in 0..<3 {
      var numbers = [UInt64](repeating: 7, count: 3)
      numbers[place] = count
      var writer = MessageWriter()
      for number in numbers { writer.integer(number) }
      #expect(ReaderReply(encoded: writer.bytes) == nil, "\(place)")
    }
  }

  @Test func `an index may be as long as its limit`() {
    var reply = Self.reply
    reply.indexLength = IndexSummary.lengthLimit
    #expect(ReaderReply(encoded: reply.encoded) == reply)
    reply.indexLength += 1
    #expect(ReaderReply(encoded: reply.encoded) == nil)
  }

  @Test func `bytes at random end nothing`() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<20_000 {
      var bytes = Self.reply.encoded
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let reply = ReaderReply(encoded: bytes) else { continue }
      #expect(reply.reportRange.upperBound <= (512 + 64 + 32) << 20)
    }
  }
}
