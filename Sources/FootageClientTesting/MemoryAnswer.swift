internal import FootageAPI
internal import FootageCore
internal import FootageBase

/// What a robot in memory answers, before anything goes wrong with it.
struct MemoryAnswer: Sendable {
  var status: Int
  /// Quotes included; nil of what has no versions.
  var entityTag: String?
  /// The whole, of which a range may be asked for.
  var bytes: [UInt8]

  static func json(_ writer: JSONWriter) -> MemoryAnswer { MemoryAnswer(status: 200, bytes: Array(writer.text.utf8)) }

  static func problem(_ status: Int, _ code: ProblemCode, _ detail: String) -> MemoryAnswer {
    problem(status, code: code.rawValue, detail)
  }

  static func problem(_ status: Int, code: String, _ detail: String) -> MemoryAnswer {
    var json = JSONWriter()
    json.object { json in
      json.member("code", code)
      json.member("detail", detail)
    }
    return MemoryAnswer(status: status, bytes: Array(json.text.utf8))
  }

  static func notFound(_ detail: String) -> MemoryAnswer { problem(404, .notFound, detail) }

  /// What is sent for a request: the whole, or the part that was asked for (RFC 9110 §14).
  ///
  /// - Returns: a response without its body, and what that holds.
  func response(to request: MediaRequest) -> (head: MediaResponse, body: ArraySlice<UInt8>) {
    let length = UInt64(bytes.count)
    var head = MediaResponse(status: status, entityTag: entityTag, contentLength: length, body: EmptyBody())
    guard status == 200, entityTag != nil, let asked = request.range,
      request.ifRange == nil || request.ifRange == entityTag
    else { return (head, bytes[...]) }
    guard asked.lowerBound < length else {
      head.status = 416
      head.entityTag = nil
      head.contentRange = MediaContentRange(range: nil, length: length)
      head.contentLength = 0
      return (head, [])
    }
    let range = asked.clamped(to: 0..<length)
    head.status = 206
    head.contentRange = MediaContentRange(range: range, length: length)
    head.contentLength = range.upperBound - range.lowerBound
    return (head, bytes[Int(range.lowerBound)..<Int(range.upperBound)])
  }

  private struct EmptyBody: MediaBody {
    func next() async throws(TransportFailure) -> [UInt8]? { nil }
  }
}
