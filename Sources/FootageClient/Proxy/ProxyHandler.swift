/// Answers players.

internal import HTTPSemantics
internal import HTTPTransport
internal import Networking

/// Belongs to the proxy's loop.
final class ProxyHandler: HTTPHandler {
  private let playbacks: ProxiedPlaybacks

  init(_ playbacks: ProxiedPlaybacks) { self.playbacks = playbacks }

  /// A page that embeds the recording is the app's own, at another port of this machine, so no more than this is asked.
  let commonFields: StaticString = "X-Content-Type-Options: nosniff\r\n"

  /// What a reader needs may have to be fetched, and the way that never waits could not begin with that.
  func respondAtOnce(to request: RequestHead) -> (any ResponseBody)? { nil }

  func respond(to request: RequestHead) async -> HTTPResponse {
    guard request.method == .get || request.method == .head else {
      return .document(
        HTTPProblem.methodNotAllowed("GET, HEAD").document)
    }
    let parts = request.path.split(separator: UInt8(ascii: "/"), maxSplits: 1)
    guard parts.count == 2, let playback = playbacks[String(decoding: parts[0], as: UTF8.self)],
      let body = PlaybackBody(playback)
    else { return .document(HTTPProblem.notFound("This playback is over: open the recording again.").document) }
    return .representation(body)
  }

  func document(for refusal: ResponseRefusal) -> HTTPDocument {
    switch refusal {
    case .bodyFailed(let error):
      HTTPProblem(
        status: .badGateway, code: "robot", detail: error.description, fields: [("Retry-After", "5")]
      ).document
    case .needsTLS(let authority): HTTPProblem.needsTLS(authority: authority)
    case .message(let refusal): HTTPProblem.message(refusal).document
    case .preconditionFailed: HTTPProblem.preconditionFailed.document
    case .rangeNotSatisfiable(let length): HTTPProblem.rangeNotSatisfiable(length: length).document
    case .certificateRequired: HTTPProblem.certificateRequired.document
    }
  }

  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead) {}

  var logsExchanges: Bool { false }
  func log(_ exchange: HTTPExchange) {}
  func log(_ error: StreamError, from peer: SocketAddress) {}
}
