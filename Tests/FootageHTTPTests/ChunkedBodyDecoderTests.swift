import FootageBase
import FootageHTTP
import TestSupport
import Testing

@Suite struct ChunkedBodyDecoderTests {
  enum Outcome: Equatable {
    case body(String, rest: String)
    case unfinished(String)
    case refused(MessageRefusal.Reason)
  }

  /// Decodes the bytes in pieces of this size.
  private func decode(_ coded: String, piece: Int = .max, limits: HTTPLimits = .standard) -> Outcome {
    let bytes = Array(coded.utf8)
    var decoder = ChunkedBodyDecoder(limits: limits)
    var body: [UInt8] = []
    var offset = 0
    do throws(MessageRefusal) {
      repeat {
        let fragment = Array(bytes[offset...].prefix(piece))
        var position = 0
        feeding: while true {
          switch try decoder.next(fragment.borrowedSpan, from: position) {
          case .data(let range):
            #expect(range.lowerBound == position || !range.isEmpty)
            body += fragment[range]
            position = range.upperBound
          case .needsMore: break feeding
          case .end(let end):
            #expect(decoder.isComplete)
            return .body(text(body), rest: text(bytes[(offset + end)...]))
          }
        }
        offset += fragment.count
      } while offset < bytes.count
    } catch {
      return .refused(error.reason)
    }
    #expect(!decoder.isComplete)
    return .unfinished(text(body))
  }

  static let coded: [(String, Outcome)] = [
    ("0\r\n\r\n", .body("", rest: "")), ("5\r\nhello\r\n0\r\n\r\n", .body("hello", rest: "")),
    ("5\r\nhello\r\nA\r\n, world...\r\n000\r\n\r\nGET /", .body("hello, world...", rest: "GET /")),
    ("a\r\n0123456789\r\n0\r\n\r\n", .body("0123456789", rest: "")),
    ("2;x=\"y;\"\r\nab\r\n0;z\r\n\r\n", .body("ab", rest: "")), ("2 \t;x\r\nab\r\n0\r\n\r\n", .body("ab", rest: "")),
    ("2\r\n\r\n\r\n0\r\n\r\n", .body("\r\n", rest: "")),
    ("1\r\na\r\n0\r\nX-Sum: 1\r\nY:\r\n\r\nrest", .body("a", rest: "rest")),
    ("0000000000000001\r\na\r\n0\r\n\r\n", .body("a", rest: "")),
    ("", .unfinished("")), ("5", .unfinished("")), ("5\r\nhel", .unfinished("hel")),
    ("5\r\nhello\r\n0\r\n", .unfinished("hello")),
    ("7fffffffffffffff\r\nx", .unfinished("x")),
    ("\r\n", .refused(.chunkSizeMalformed)), ("g\r\n", .refused(.chunkSizeMalformed)),
    ("0x5\r\n", .refused(.chunkSizeMalformed)), ("+5\r\n", .refused(.chunkSizeMalformed)),
    ("-5\r\n", .refused(.chunkSizeMalformed)), (" 5\r\n", .refused(.chunkSizeMalformed)),
    ("5\nhello", .refused(.chunkSizeMalformed)), ("5\rhello", .refused(.chunkSizeMalformed)),
    ("5 \r\nhello", .refused(.chunkSizeMalformed)), ("5;x\nhello", .refused(.chunkSizeMalformed)),
    ("5;x\u{0}\r\nhello", .refused(.chunkSizeMalformed)), (";x\r\n", .refused(.chunkSizeMalformed)),
    ("5_0\r\n", .refused(.chunkSizeMalformed)),
    ("5\r\nhello!\r\n", .refused(.chunkEndMissing)), ("5\r\nhello\n0\r\n", .refused(.chunkEndMissing)),
    ("5\r\nhello\r0\r\n", .refused(.chunkEndMissing)), ("5\r\nhello0\r\n\r\n", .refused(.chunkEndMissing)),
    ("8000000000000000\r\n", .refused(.chunkTooLong)), ("ffffffffffffffff\r\n", .refused(.chunkTooLong)),
    ("10000000000000000\r\n", .refused(.chunkTooLong)), ("00000000000000001\r\n", .refused(.chunkTooLong)),
    ("0\r\n\n", .refused(.fieldNameMalformed)), ("0\r\n\rX", .refused(.bareCarriageReturn)),
    ("0\r\n x: y\r\n\r\n", .refused(.fieldNameMalformed)), ("0\r\nX : y\r\n\r\n", .refused(.fieldNameMalformed)),
    ("0\r\n: y\r\n\r\n", .refused(.fieldNameMalformed)), ("0\r\nX\r\n\r\n", .refused(.fieldNameMalformed)),
    ("0\r\nX: y\n\r\n", .refused(.bareLineFeed)), ("0\r\nX: \u{0}\r\n\r\n", .refused(.controlByte)),
    ("0\r\nX: y\ry\r\n\r\n", .refused(.bareCarriageReturn)),
    ("0\r\nX: y\r\n folded\r\n\r\n", .refused(.fieldNameMalformed)),
  ]

  @Test(arguments: coded)
  func `a coded body is decoded, or refused, in pieces of any size`(coded: String, outcome: Outcome) {
    for piece in [1, 2, 3, 5, 8, .max] { #expect(decode(coded, piece: piece) == outcome, "pieces of \(piece)") }
  }

  @Test func `extensions and trailers are limited over the whole body`() {
    var limits = HTTPLimits()
    limits.chunkExtensionBytes = 10
    limits.trailerBytes = 10
    #expect(decode("1;xxxx\r\na\r\n1;xxxx\r\nb\r\n0\r\n\r\n", limits: limits) == .body("ab", rest: ""))
    #expect(decode("1;xxxx\r\na\r\n1;xxxxx\r\nb\r\n0\r\n\r\n", limits: limits) == .refused(.chunkExtensionsTooLong))
    #expect(decode("1;xxxx\r\na\r\n1      ;", limits: limits) == .refused(.chunkExtensionsTooLong))
    #expect(decode("0\r\nX: 34\r\n\r\n", limits: limits) == .body("", rest: ""))
    #expect(decode("0\r\nX: 34567\r\n\r\n", limits: limits) == .refused(.trailersTooLong))
  }

  @Test func `a refusal says where in the body`() throws {
    var decoder = ChunkedBodyDecoder()
    let first = Array("5\r\nhello\r\n".utf8)
    #expect(try decoder.next(first.borrowedSpan, from: 0) == .data(3..<8))
    #expect(try decoder.next(first.borrowedSpan, from: 8) == .needsMore)
    #expect(throws: MessageRefusal(.chunkSizeMalformed, at: 11)) {
      _ = try decoder.next(Array("1x".utf8).borrowedSpan, from: 0)
    }
  }

  @Test func `random bytes never trap`() {
    var random = SeededGenerator(seed: 4)
    let letters = Array("0123aF;\r\n\r\n: x".utf8) + [0, 255]
    for _ in 0..<3_000 {
      let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0 }
      let coded = String(decoding: bytes, as: UTF8.self)
      #expect(decode(coded) == decode(coded, piece: 1))
    }
  }
}
