/// HTTP heads and bodies: the same result in one piece and split anywhere, and ranges as a simple count finds them.

internal import FootageBase
internal import FootageHTTP

enum Heads {
  /// Checks the bytes. The first one determines how the others are split.
  static func check(_ input: [UInt8]) throws(Finding) {
    guard let seed = input.first else { return }
    let bytes = Array(input.dropFirst())
    let ends = pieceEnds(bytes.count, seed: seed)
    try checkRequest(bytes, ends)
    try checkResponse(bytes, ends)
    try ChunkedBody.check(bytes, ends)
    try Ranges.check(bytes, length: UInt64(seed & 0x3F))
  }

  /// Returns the ends of the pieces in ascending order, the last one at `count`.
  private static func pieceEnds(_ count: Int, seed: UInt8) -> [Int] {
    var state = UInt32(seed) &+ 1
    var ends: [Int] = []
    var end = 0
    while end < count {
      state = state &* 1_664_525 &+ 1_013_904_223
      end = min(count, end + 1 + Int(state >> 16) % (seed < 128 ? 64 : 4))
      ends.append(end)
    }
    return ends
  }

  private static func checkRequest(_ bytes: [UInt8], _ ends: [Int]) throws(Finding) {
    var parser = RequestHeadParser()
    let whole = parser.parse(bytes.borrowedSpan)
    var splitParser = RequestHeadParser()
    var split = RequestHeadParser.Outcome.incomplete
    for end in ends {
      split = splitParser.parse(bytes.borrowedSpan.extracting(0..<end))
      guard case .incomplete = split else { break }
    }
    let (summary, other) = (summary(whole), summary(split))
    try expect(summary == other, "a request reads as \(summary), in pieces as \(other)")
    guard case .complete(let head, let byteCount) = whole else { return }
    try expect(byteCount > 0 && byteCount <= bytes.count, "a head of \(byteCount) bytes out of \(bytes.count)")
    try checkAnswer(to: head)
  }

  /// Checks that the answer to a GET or HEAD stays within the representation.
  private static func checkAnswer(to head: RequestHead) throws(Finding) {
    guard let tag = EntityTag(strong: "0123") else { throw Finding(description: "a plain tag is none") }
    let now: Int64 = 1_700_000_000
    for length in [0, 1, 1000] as [UInt64] {
      let metadata = RepresentationMetadata(
        length: length, mediaType: "video/mp4", entityTag: tag, lastModified: now - 60)
      let plan = ResponsePlan(for: head, of: metadata, now: now)
      if case .range(let range) = plan.content {
        try expect(!range.isEmpty && range.upperBound <= length, "range \(range) of \(length) bytes")
        try expect(plan.status == .partialContent, "a range with status \(plan.status)")
      }
      var writer = ResponseHeadWriter()
      writer.begin(date: DateField(unixSeconds: now), .init(for: head))
      plan.writeHead(into: &writer)
    }
  }

  private static func checkResponse(_ bytes: [UInt8], _ ends: [Int]) throws(Finding) {
    var parser = ResponseHeadParser()
    let whole = summary(parser.parse(bytes.borrowedSpan))
    var splitParser = ResponseHeadParser()
    var split = ResponseHeadParser.Outcome.incomplete
    for end in ends {
      split = splitParser.parse(bytes.borrowedSpan.extracting(0..<end))
      guard case .incomplete = split else { break }
    }
    let other = summary(split)
    try expect(whole == other, "a response reads as \(whole), in pieces as \(other)")
  }

  /// Returns all visible properties of an outcome.
  private static func summary(_ outcome: RequestHeadParser.Outcome) -> [String] {
    switch outcome {
    case .incomplete: return ["incomplete"]
    case .refused(let refusal): return [refusal.description, "\(refusal.status)"]
    case .complete(let head, let byteCount):
      let parts = [
        "\(byteCount) \(head.method) \(head.version) \(head.body) \(head.keepsAlive) \(head.expectsContinue)",
        head.methodText, head.target, "\(head.path) \(head.query ?? []) \(head.authority ?? [])",
      ]
      return parts + FieldName.allCases.map { "\(Array(head.combinedValue(of: $0) ?? []))" }
    }
  }

  private static func summary(_ outcome: ResponseHeadParser.Outcome) -> [String] {
    switch outcome {
    case .incomplete: return ["incomplete"]
    case .refused(let refusal): return [refusal.description]
    case .complete(let head, let byteCount):
      let parts = [
        "\(byteCount) \(head.status) \(head.version) \(head.keepsAlive) \(String(describing: head.contentLength))",
        "\(head.body(answering: .get)) \(head.body(answering: .head))",
        "\(String(describing: head.entityTag)) \(String(describing: head.contentRange))",
      ]
      return parts + FieldName.allCases.map { "\(Array(head.combinedValue(of: $0) ?? []))" }
    }
  }
}
