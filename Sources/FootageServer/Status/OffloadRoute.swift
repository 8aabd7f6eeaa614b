internal import FootageAPI
internal import Formats
internal import HTTPSemantics
internal import HTTPTransport
internal import Offload

/// `/offload`, for others on this machine: how bringing recordings into the store goes, and wishes about it.
enum OffloadRoute {
  static let path = "/offload"

  static func answer(to request: Request, _ offload: OffloadService?) async throws(RequestBodyError) -> HTTPResponse {
    guard let offload else { return .document(nowhere.document) }
    switch request.head.method {
    case .get, .head: return .document(document(.ok, offload.board.report))
    case .post: break
    default: return .document(HTTPProblem.methodNotAllowed("GET, HEAD, POST").document)
    }
    guard !request.head.isFromForeignPage else { return .document(HTTPProblem.foreignOrigin.document) }
    guard request.head.hasJSON else { return .document(HTTPProblem.notJSON.document) }
    let body = try await request.body.bytes(
      within: RequestBodyLimit(byteCount: UInt64(OffloadRequest.longestBody)))
    guard let wish = OffloadRequest(body: body), let verb = OffloadTask.Verb(rawValue: wish.verb) else {
      return .document(badBody.document)
    }
    guard let numbers = await offload.ask(verb, of: wish.names) else { return .document(HTTPProblem.busy.document) }
    var report = offload.board.report
    report.tasks = report.tasks.filter { numbers.contains($0.number) }
    return .document(document(.accepted, report))
  }

  private static func document(_ status: HTTPStatus, _ report: OffloadReport) -> HTTPDocument {
    var json = JSONWriter()
    report.write(into: &json)
    return HTTPDocument(
      status, mediaType: "application/json", bytes: json.document, fields: [("Cache-Control", "no-store")])
  }

  private static let nowhere = HTTPProblem(
    .notFound, .notFound, "This server brings recordings to no store: footage serve --offload gives it one.")
  private static let badBody = HTTPProblem(
    .badRequest, .badBody,
    "The body has to be {\"verb\": …, \"names\": […]} with one of the verbs now, restore, verify, read, remove.")
}
