internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageStore
internal import FootageSystem

/// A handler that serves the server's health and metrics to other programs on this machine. Over a socket with a path
/// it also reports the progress of copying recordings to the store, and accepts commands that control it.
final class StatusHandler: HTTPHandler {
  let commonFields: StaticString = "X-Content-Type-Options: nosniff\r\n"
  private let health: any HealthReporting
  private let metrics: Metrics
  private let offload: OffloadRoute
  private let local: LocalRoute?
  private let remaking: RemakingRoute?

  /// - Parameters:
  ///   - local: the route for requests that are accepted only over the socket; nil for none.
  ///   - remaking: the route that rebuilds recordings; nil for none.
  init(
    _ health: any HealthReporting, _ metrics: Metrics, offload: OffloadService? = nil, local: LocalRoute? = nil,
    remaking: RemakingRoute? = nil, log: Log
  ) {
    self.health = health
    self.metrics = metrics
    self.offload = OffloadRoute(offload: offload, log: log)
    self.local = local
    self.remaking = remaking
  }

  private static let allowed = "GET, HEAD"

  func respondAtOnce(to request: Request) -> (any ResponseBody)? { nil }

  func respond(to request: Request) async throws(RequestBodyError) -> HTTPResponse {
    if request.head.path.elementsEqual(OffloadRoute.path.utf8), Self.namesThisMachine(request.head.authority) {
      return try await offload.answer(to: request)
    }
    if let remaking, request.head.path.elementsEqual(RemakingRoute.path.utf8),
      Self.namesThisMachine(request.head.authority)
    {
      return try await remaking.answer(to: request)
    }
    guard request.head.method == .get || request.head.method == .head else {
      return .document(HTTPProblem.methodNotAllowed(Self.allowed).document)
    }
    // A web page whose own host name resolves to this machine gets nothing.
    guard Self.namesThisMachine(request.head.authority) else {
      return .document(
        HTTPProblem(
          .forbidden, .foreignHost, "Use an IP address or localhost: any other name may belong to someone else."
        ).document)
    }
    if request.localPeer != nil, let document = await local?.answer(to: request.head) { return .document(document) }
    let resource: Resource
    do throws(ResourceError) { resource = try Resource(path: request.head.path, query: request.head.query) } catch {
      return .document(Self.nothing(for: request).document)
    }
    switch resource {
    case .health(let isLive): return .document(HealthDocument.of(health.report, isLive: isLive))
    case .metrics: return .document(metrics.document())
    default: return .document(Self.nothing(for: request).document)
    }
  }

  private static let nothing = HTTPProblem(.notFound, .notFound, "Only /health and /metrics are available here.")
  private static let nothingElse = HTTPProblem(
    .notFound, .notFound, "Only /health, /metrics and /offload are available here.")

  private static func nothing(for request: Request) -> HTTPProblem {
    request.localPeer == nil ? nothing : nothingElse
  }

  /// Returns true if a host is an address, or a name that always means this machine.
  ///
  /// - Parameter authority: the requested host and port; nil for HTTP/1.0, which need not name them.
  static func namesThisMachine(_ authority: ArraySlice<UInt8>?) -> Bool {
    guard let authority else { return true }
    let text = String(decoding: authority, as: UTF8.self)
    if text.utf8.first == UInt8(ascii: "["), let end = text.utf8.firstIndex(of: UInt8(ascii: "]")) {
      return SocketAddress(literal: String(text[text.index(after: text.startIndex)..<end]), port: 0) != nil
    }
    let host = String(text.prefix { $0 != ":" })
    return host.lowercased() == "localhost" || SocketAddress(literal: host, port: 0) != nil
  }

  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead) {}

  func document(for refusal: ResponseRefusal) -> HTTPDocument {
    switch refusal {
    case .message(let refusal): HTTPProblem.message(refusal).document
    case .preconditionFailed: HTTPProblem.preconditionFailed.document
    case .rangeNotSatisfiable(let length): HTTPProblem.rangeNotSatisfiable(length: length).document
    case .bodyFailed, .certificateRequired, .needsTLS: Self.nothing.document
    }
  }
}
