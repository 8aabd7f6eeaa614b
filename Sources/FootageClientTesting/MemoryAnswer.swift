internal import FootageAPI
internal import FootageCore
internal import FootageHTTP

/// The answer of a robot in memory, before any fault is applied to it.
struct MemoryAnswer {
  /// The head of the answer, without its body.
  private(set) var head: MediaResponse
  private(set) var bytes: [UInt8]

  /// Creates the answer as a connection would send it: the whole document, or the requested range (RFC 9110 §14).
  ///
  /// - Parameter now: the present in Unix seconds.
  init(_ response: HTTPResponse, to request: RequestHead, now: Int64) async throws(ResponseBodyError) {
    let body: any ResponseBody
    switch response {
    case .document(let document):
      self.init(document)
      return
    case .representation(let representation, _): body = representation
    }
    let (plan, metadata) = (ResponsePlan(for: request, of: body.metadata, now: now), body.metadata)
    self.init(MediaResponse(status: plan.status.code, entityTag: metadata.entityTag.description, body: EmptyBody()))
    switch plan.content {
    case .whole, .multipart: try await add(0..<metadata.length, of: body)
    case .range(let range):
      head.contentRange = MediaContentRange(range: range, length: metadata.length)
      try await add(range, of: body)
    case .unsatisfiable(let length):
      head.entityTag = nil
      head.contentRange = MediaContentRange(range: nil, length: length)
    case .none, .preconditionFailed: break
    }
  }

  init(_ document: HTTPDocument) {
    self.init(MediaResponse(status: document.status.code, body: EmptyBody()), document.bytes)
  }

  private init(_ head: MediaResponse, _ bytes: [UInt8] = []) {
    self.head = head
    self.bytes = bytes
    self.head.contentLength = UInt64(bytes.count)
  }

  private mutating func add(_ range: Range<UInt64>, of body: any ResponseBody) async throws(ResponseBodyError) {
    bytes = try await body.read(at: range.lowerBound, count: range.count)
    head.contentLength = UInt64(bytes.count)
  }

  private struct EmptyBody: MediaBody {
    func next() async throws(TransportFailure) -> [UInt8]? { nil }
  }
}

extension MediaRequest {
  /// Returns the request as a robot reads it (RFC 9112 §3).
  ///
  /// - Throws: `TransportFailure.final` for a request that no transport would send.
  func head() throws(TransportFailure) -> RequestHead {
    var writer = RequestHeadWriter()
    let method: HTTPMethod =
      switch method {
      case .get: .get
      case .put: .put
      case .delete: .delete
      }
    do throws(MessageRefusal) { try writer.begin(method, target, host: "robot.test") } catch {
      throw .final(error.description)
    }
    if let range {
      writer.range(from: range.lowerBound, upTo: range.upperBound == .max ? nil : range.upperBound)
    }
    if let ifRange {
      guard let tag = EntityTag(ifRange), !tag.isWeak else { throw .final("\(ifRange) is not a strong ETag") }
      if range != nil { writer.ifRange(tag) }
    }
    writer.end()
    var parser = RequestHeadParser()
    guard case .complete(let head, _) = parser.parse(writer.bytes.borrowedSpan) else {
      throw .final("\(target) is not a valid request target")
    }
    return head
  }
}
