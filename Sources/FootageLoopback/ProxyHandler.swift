/// Answers players.

internal import FootageCore
internal import HTTPSemantics
internal import HTTPTransport
internal import Networking
internal import System

/// Belongs to the proxy's loop.
final class ProxyHandler: HTTPHandler {
  private let places: ProxiedPlaces
  private let users: PlayerUsers

  init(_ places: ProxiedPlaces, _ users: PlayerUsers) {
    self.places = places
    self.users = users
  }

  /// An app's own page that embeds a recording is at another port of this machine, in a file, or under a scheme of the
  /// app's, and so of another site to the browser: only `cross-origin` lets all of these show it, also where they
  /// isolate themselves. The token is what keeps other pages out; nothing here lets a script read what is shown.
  let commonFields: StaticString =
    "X-Content-Type-Options: nosniff\r\nCross-Origin-Resource-Policy: cross-origin\r\n"

  /// Host, token and user, in this order: each costs more than the one before.
  func refusal(of request: RequestHead, from visitor: Visitor) async -> HTTPDocument? {
    guard Self.isAddressed(request.authority, port: visitor.local.port) else { return Self.misdirected }
    guard let (place, _) = place(of: request) else { return Self.over }
    guard !place.letsOthersIn else { return nil }
    switch await users.refusal(of: visitor) {
    case nil: return nil
    case .otherUser(let user): return Self.otherUser(user)
    case .unknown: return Self.unknownUser
    }
  }

  /// Not asked: whatever comes here has to be let in first.
  func respondAtOnce(to request: Request) -> (any ResponseBody)? { nil }

  func respond(to request: Request) async -> HTTPResponse {
    guard request.head.method == .get || request.head.method == .head else {
      return .document(
        HTTPProblem.methodNotAllowed("GET, HEAD").document)
    }
    guard let (place, path) = place(of: request.head) else { return .document(Self.over) }
    do throws(PlaybackViewError) {
      guard let body = try await place.body(of: path, request.head.query) else { return .document(Self.over) }
      return .representation(body)
    } catch {
      switch error {
      case .absent(let code, let detail):
        return .document(HTTPProblem(status: .notFound, code: code, detail: detail).document)
      case .malformed(let code, let detail):
        return .document(HTTPProblem(status: .badRequest, code: code, detail: detail).document)
      case .robot(let error): return .document(document(for: .bodyFailed(.unreadable(error.description))))
      case .cache(let error): return .document(document(for: .bodyFailed(.unreadable(error.description))))
      }
    }
  }

  /// `/TOKEN/…`, and what is behind that slash.
  private func place(of request: RequestHead) -> (any ProxiedPlace, path: ArraySlice<UInt8>)? {
    let parts = request.path.split(separator: UInt8(ascii: "/"), maxSplits: 1)
    guard parts.count == 2, let place = places[String(decoding: parts[0], as: UTF8.self)] else { return nil }
    return (place, parts[1])
  }

  /// A page's own name can be made to lead to this machine (DNS rebinding), and then its scripts may read what they
  /// get. A request of HTTP/1.0 may come without a name, and no browser sends such.
  private static func isAddressed(_ authority: ArraySlice<UInt8>?, port: UInt16) -> Bool {
    guard let authority else { return true }
    let text = String(decoding: authority, as: UTF8.self).lowercased()
    return text == "127.0.0.1:\(port)" || text == "localhost:\(port)"
  }

  private static let over =
    HTTPProblem.notFound("This playback is over: open the recording again.").document
  private static let misdirected = HTTPProblem(
    status: .misdirectedRequest, code: "misdirected",
    detail: "Nothing but 127.0.0.1 and localhost, with this port, is served here: use the URL as the app gives it."
  ).document
  private static let unknownUser = HTTPProblem(
    status: .forbidden, code: "unknown-user",
    detail: "It could not be found out which user's connection this is: ask again."
  ).document

  private static func otherUser(_ user: UInt32) -> HTTPDocument {
    HTTPProblem(
      status: .forbidden, code: "other-user",
      detail: """
        Only programs of the user who opened this recording may play it, and this one is of user number \(user): run the \
        player as that user, or have the app let other users in.
        """
    ).document
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
    // It asks nobody for a certificate.
    case .certificateRequired: HTTPProblem.notFound("This is no address of a playback.").document
    }
  }

  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead) {}
}
