@testable import FootageHTTP
import Testing

@testable import FootageServing

/// Bodies from bytes in memory.
@Suite struct RequestBodyReaderTests {
  private typealias Step = RequestBodyReader.Step

  /// Feeds a body in pieces of this number of bytes, and collects the output.
  private func take(
    _ reader: inout RequestBodyReader, from bytes: [UInt8], by count: Int, limit: UInt64 = .max
  ) throws(MessageRefusal) -> (body: [UInt8], rest: [UInt8]) {
    var inbox: [UInt8] = []
    var body: [UInt8] = []
    var fed = 0
    while true {
      switch try reader.next(&inbox, upTo: limit) {
      case .bytes(let bytes): body += bytes
      case .end: return (body, inbox + bytes[fed...])
      case .needsMore:
        guard fed < bytes.count else { return (body, inbox) }
        let end = min(bytes.count, fed + count)
        inbox += bytes[fed..<end]
        fed = end
      }
    }
  }

  private static let coded = Array("5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nA: b\r\n\r\nGET".utf8)

  @Test(arguments: [1, 2, 3, 7, 1000])
  func `a body comes out whole however it comes in, and nothing behind it is touched`(count: Int) throws {
    var known = RequestBodyReader(.length(5))
    #expect(!known.isWhole)
    #expect(try take(&known, from: Array("helloGET".utf8), by: count) == (Array("hello".utf8), Array("GET".utf8)))
    #expect(known.isWhole && known.byteCount == 5)
    var chunked = RequestBodyReader(.chunked)
    #expect(try take(&chunked, from: Self.coded, by: count) == (Array("hello!".utf8), Array("GET".utf8)))
    #expect(chunked.isWhole && chunked.byteCount == 6)
  }

  @Test func `where there is no body there is nothing to wait for`() throws {
    var reader = RequestBodyReader(.none)
    var inbox = Array("GET".utf8)
    #expect(reader.isWhole)
    #expect(try reader.next(&inbox, upTo: 0) == .end)
    #expect(inbox == Array("GET".utf8))
  }

  @Test func `the word to go on is asked for once, and not where bytes have come`() throws {
    var inbox: [UInt8] = []
    var reader = RequestBodyReader(.length(2), expectsContinue: true)
    #expect(reader.isAwaited)
    #expect(try reader.next(&inbox, upTo: 2) == .needsMore(sendsContinue: true))
    #expect(!reader.isAwaited)
    #expect(try reader.next(&inbox, upTo: 2) == .needsMore(sendsContinue: false))
    reader = RequestBodyReader(.length(2), expectsContinue: true)
    inbox = [1]
    #expect(try reader.next(&inbox, upTo: 2) == .bytes([1]))
    #expect(try reader.next(&inbox, upTo: 2) == .needsMore(sendsContinue: false))
  }

  @Test(arguments: [BodyFraming.length(6), .chunked])
  func `a body of just the limit is taken, and of one byte more refused`(framing: BodyFraming) throws {
    let bytes = framing == .chunked ? Self.coded : Array("hello!GET".utf8)
    for count in [1, 1000] {
      var fits = RequestBodyReader(framing)
      #expect(try take(&fits, from: bytes, by: count, limit: 6).body == Array("hello!".utf8))
      var tooLarge = RequestBodyReader(framing)
      let refusal = #expect(throws: MessageRefusal.self) { try take(&tooLarge, from: bytes, by: count, limit: 5) }
      #expect(refusal?.reason == .contentTooLarge && refusal?.status == .contentTooLarge)
      #expect(tooLarge.refusal == refusal && !tooLarge.isWhole)
      #expect(tooLarge.byteCount <= 5)
    }
  }

  @Test func `a body that says it is too large is refused before it is waited for`() {
    var inbox: [UInt8] = []
    var reader = RequestBodyReader(.length(.max), expectsContinue: true)
    #expect(throws: MessageRefusal(.contentTooLarge, at: 5)) { try reader.next(&inbox, upTo: 5) }
    #expect(throws: MessageRefusal(.contentTooLarge, at: 5)) { try reader.next(&inbox, upTo: .max) }
  }

  @Test(arguments: ["xyz\r\n", "5\nhello", "1\r\nab\r\n", "2\r\nab\r\n0\r\n\n"])
  func `what breaks the coding is refused, and nothing is taken behind it`(coded: String) throws {
    for count in [1, 1000] {
      var reader = RequestBodyReader(.chunked)
      let refusal = #expect(throws: MessageRefusal.self) { try take(&reader, from: Array(coded.utf8), by: count) }
      #expect(refusal?.status == .badRequest)
      var inbox = Array("0\r\n\r\n".utf8)
      #expect(throws: try #require(refusal)) { try reader.next(&inbox, upTo: .max) }
    }
  }
}
