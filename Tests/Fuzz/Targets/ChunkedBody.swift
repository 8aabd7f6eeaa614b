/// Chunked bodies: bytes, end and fault are the same in one piece and split anywhere.

internal import FootageBase
internal import FootageHTTP

enum ChunkedBody {
  private struct Result: Equatable {
    var body: [UInt8] = []
    var end: Int?
    var refusal: MessageRefusal?
  }

  static func check(_ bytes: [UInt8], _ ends: [Int]) throws(Finding) {
    let whole = try decode(bytes, [bytes.count])
    let split = try decode(bytes, ends)
    try expect(whole == split, "a chunked body decodes to \(whole), in pieces to \(split)")
    try expect(whole.body.count <= bytes.count, "\(bytes.count) bytes decode to \(whole.body.count)")
  }

  private static func decode(_ bytes: [UInt8], _ ends: [Int]) throws(Finding) -> Result {
    var decoder = ChunkedBodyDecoder()
    var result = Result()
    var start = 0
    for end in ends {
      let piece = Array(bytes[start..<end])
      var position = 0
      feeding: while true {
        let event: ChunkedBodyDecoder.Event
        do throws(MessageRefusal) {
          event = try decoder.next(piece.borrowedSpan, from: position)
        } catch {
          result.refusal = error
          return result
        }
        switch event {
        case .data(let range):
          try expect(
            range.lowerBound >= position && !range.isEmpty && range.upperBound <= piece.count,
            "body at \(range) of \(piece.count) bytes, after \(position)")
          result.body += piece[range]
          position = range.upperBound
        case .needsMore: break feeding
        case .end(let place):
          try expect(place <= piece.count && decoder.isComplete, "it ends at \(place) of \(piece.count) bytes")
          result.end = start + place
          return result
        }
      }
      start = end
    }
    return result
  }
}
