import FootageHTTP
import Testing

@Suite struct RequestHeadLimitsTests {
  private func head(ofLength length: Int) -> String {
    let frame = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n"
    return "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: length - frame.utf8.count))\r\n\r\n"
  }

  @Test func `a head of 16 KiB is taken, one byte more is 431`() throws {
    _ = try requestHead(text: head(ofLength: 16_384))
    #expect(refusal(of: head(ofLength: 16_385)) == .headTooLong)
    #expect(refusal(of: head(ofLength: 16_386)) == .headTooLong)
  }

  @Test func `a head without an end is refused as soon as it is too long`() {
    let endless = Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 20_000)
    guard case .incomplete = parse(Array(endless.prefix(16_383))) else {
      Issue.record("refused too early")
      return
    }
    guard case .refused(let refusal) = parse(Array(endless.prefix(16_384))) else {
      Issue.record("not refused")
      return
    }
    #expect(refusal == MessageRefusal(.headTooLong, at: 16_384))
  }

  @Test func `what follows a head does not count towards its length`() {
    let bytes = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8) + [UInt8](repeating: 0, count: 100_000)
    guard case .complete(_, byteCount: 27) = parse(bytes) else {
      Issue.record("\(parse(bytes))")
      return
    }
  }

  @Test func `a target of 8 KiB is taken, one byte more is 414`() throws {
    func line(_ count: Int) -> String { "GET /\(String(repeating: "a", count: count - 1)) HTTP/1.1\r\nHost: a\r\n\r\n" }
    #expect(try requestHead(text: line(8_192)).path.count == 8_192)
    #expect(refusal(of: line(8_193)) == .targetTooLong)
    #expect(refusal(of: line(15_000)) == .targetTooLong)
  }

  @Test func `a request line without an end is 414 as soon as it is too long`() {
    #expect(refusal(of: "GET /" + String(repeating: "a", count: 9_000)) == .targetTooLong)
    #expect(refusal(of: String(repeating: "G", count: 9_000)) == .targetTooLong)
  }

  @Test func `a hundred fields are taken, one more is 431`() throws {
    func fields(_ count: Int) -> String {
      "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X:\r\n", count: count - 1) + "\r\n"
    }
    _ = try requestHead(text: fields(100))
    #expect(refusal(of: fields(101)) == .tooManyFields)
  }

  @Test func `a limit past what an index holds is cut to it`() {
    var limits = HTTPLimits()
    limits.headBytes = 1_000_000
    let frame = "GET / HTTP/1.1\r\nHost: a\r\nX: "
    #expect(refusal(of: frame + String(repeating: "x", count: 70_000) + "\r\n\r\n", limits: limits) == .headTooLong)
    guard case .complete = parse(frame + String(repeating: "x", count: 60_000) + "\r\n\r\n", limits: limits) else {
      Issue.record("refused below the limit")
      return
    }
  }
}
