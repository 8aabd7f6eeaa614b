import FootageBase
import FootageHTTP
import TestSupport
import Testing

@Suite struct RequestHeadFragmentsTests {
  /// The visible properties of an outcome.
  struct Summary: Equatable {
    var refusal: MessageRefusal?
    var byteCount = 0
    var parts: [String?] = []

    init?(_ outcome: RequestHeadParser.Outcome) {
      switch outcome {
      case .incomplete: return nil
      case .refused(let refusal): self.refusal = refusal
      case .complete(let head, let byteCount):
        self.byteCount = byteCount
        parts = [
          "\(head.method) \(head.version) \(head.body) \(head.keepsAlive) \(head.expectsContinue)",
          text(head.path) as String, text(head.query), text(head.authority), head.target,
        ]
        parts += FieldName.allCases.map { text(head.combinedValue(of: $0)) }
      }
    }
  }

  static let heads = [
    "GET /recordings/a.mp4?x=1 HTTP/1.1\r\nHost: robot:8443\r\nRange: bytes=0-1\r\nIf-Range: \"abc\"\r\n\r\nGET / HT",
    "\r\nPOST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    "GET http://a/b HTTP/1.0\r\nConnection: keep-alive\r\nConnection: x\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n",
    "GET / HTTP/1.1\r\nX: y\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\n X: folded\r\n\r\n",
  ]

  @Test(arguments: heads)
  func `a head cut anywhere reads as in one piece`(head: String) {
    let bytes = Array(head.utf8)
    let whole = Summary(parse(bytes))
    for cut in 0...bytes.count {
      var parser = RequestHeadParser()
      let outcome = Summary(parser.parse(copyOf: bytes[..<cut])) ?? Summary(parser.parse(bytes.borrowedSpan))
      #expect(outcome == whole, "cut at \(cut)")
    }
  }

  @Test(arguments: heads)
  func `a head that drips in reads as in one piece`(head: String) {
    let bytes = Array(head.utf8)
    var parser = RequestHeadParser()
    var outcome: Summary?
    for count in 0...bytes.count where outcome == nil { outcome = Summary(parser.parse(copyOf: bytes[..<count])) }
    #expect(outcome == Summary(parse(bytes)))
  }

  @Test func `pipelined requests are read one after another by one parser`() {
    let requests = (0..<5).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
    var bytes = Array(requests.joined().utf8)
    var parser = RequestHeadParser()
    var paths: [String] = []
    while case .complete(let head, let byteCount) = parser.parse(bytes.borrowedSpan) {
      paths.append(text(head.path))
      bytes.removeFirst(byteCount)
    }
    #expect(bytes.isEmpty)
    #expect(paths == ["/0", "/1", "/2", "/3", "/4"])
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `mutated heads never trap, and read the same in random pieces`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let interesting: [UInt8] =
      [0, 9, 10, 13, 32, 34, 37, 44, 45, 47, 58, 63, 91, 93, 127, 128, 255] + Array("019aHT".utf8)
    for _ in 0..<100 {
      var bytes = Array(Self.heads[Int.random(in: 0..<Self.heads.count, using: &random)].utf8)
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[place] = interesting.randomElement(using: &random) ?? 0
        case 1: bytes.remove(at: place)
        case 2: bytes.insert(interesting.randomElement(using: &random) ?? 0, at: place)
        default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        }
      }
      var parser = RequestHeadParser()
      var pieces: Summary?
      var count = 0
      while pieces == nil, count < bytes.count {
        count = min(bytes.count, count + Int.random(in: 1...30, using: &random))
        pieces = Summary(parser.parse(copyOf: bytes[..<count]))
      }
      let outcome = parse(bytes)
      #expect(pieces == Summary(outcome), "\(text(bytes).debugDescription)")
      if case .complete(let head, _) = outcome {
        // The response plan, too, must accept everything that a head may contain.
        let plan = ResponsePlan(for: head, of: .sample(), now: 1_700_000_000)
        var writer = ResponseHeadWriter()
        writer.begin(date: DateField(unixSeconds: 1_700_000_000), .init(for: head))
        plan.writeHead(into: &writer)
      }
    }
  }
}
