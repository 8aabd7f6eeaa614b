#if !canImport(Network)
/// Answers players.

internal import FootageHTTP
internal import FootageServing
internal import FootageSystem

/// Belongs to the proxy's loop.
final class ProxyHandler: HTTPHandler {
  private let answers: ProxyAnswers
  private let users: PlayerUsers

  init(_ places: ProxiedPlaces, _ users: PlayerUsers) {
    answers = ProxyAnswers(places)
    self.users = users
  }

  var commonFields: StaticString { ProxyAnswers.commonFields }

  /// Host, token and user, in this order: each costs more than the one before.
  func refusal(of request: RequestHead, from visitor: Visitor) async -> HTTPDocument? {
    if let refusal = answers.refusal(of: request, port: visitor.local.port) { return refusal }
    guard answers.place(named: request)?.letsOthersIn != true else { return nil }
    switch await users.refusal(of: visitor) {
    case nil: return nil
    case .otherUser(let user): return Self.otherUser(user)
    case .unknown: return Self.unknownUser
    }
  }

  /// Not asked: whatever comes here has to be let in first.
  func respondAtOnce(to request: Request) -> (any ResponseBody)? { nil }

  func respond(to request: Request) async -> HTTPResponse { await answers.response(to: request.head) }

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
    case .bodyFailed(let error): ProxyAnswers.document(for: error)
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
#endif
