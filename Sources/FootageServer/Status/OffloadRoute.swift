internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageStore
internal import FootageSystem

/// The route `/offload`, for root and the server's own user on this machine. It reports the progress of copying
/// recordings to the store, and accepts commands that control it.
///
/// These commands cannot be undone, so the client is identified by what the kernel reports about the other end of a
/// socket with a path. Each command is logged.
struct OffloadRoute {
  /// The service that copies recordings to the store; nil if there is no store.
  let offload: OffloadService?
  let log: Log
  /// The ID of the user as whom the server runs.
  var ownUser = Process.user

  static let path = "/offload"
  /// The number of bytes of names in one line of the log. A single name that is longer gets a line of its own.
  private static let bytesInLine = 2_000

  func answer(to request: Request) async throws(RequestBodyError) -> HTTPResponse {
    guard let peer = request.localPeer else { return .document(Self.notHere.document) }
    guard peer.user == 0 || peer.user == ownUser else { return .document(Self.notYou.document) }
    guard let offload else { return .document(Self.nowhere.document) }
    switch request.head.method {
    case .get, .head: return .document(Self.document(.ok, offload.progress.report))
    case .post: break
    default: return .document(HTTPProblem.methodNotAllowed("GET, HEAD, POST").document)
    }
    guard !request.head.isFromForeignPage else { return .document(HTTPProblem.foreignOrigin.document) }
    guard request.head.hasJSON else { return .document(HTTPProblem.notJSON.document) }
    let body = try await request.body.bytes(
      within: RequestBodyLimit(byteCount: UInt64(OffloadRequest.longestBody)))
    guard let wish = OffloadRequest(body: body), let verb = OffloadTask.Verb(rawValue: wish.verb),
      wish.names != nil || verb.mayBeOfAll
    else { return .document(Self.badBody.document) }
    note(wish, by: peer)
    guard let numbers = await offload.ask(verb, of: wish.names) else { return .document(HTTPProblem.busy.document) }
    var report = offload.progress.report
    report.tasks = report.tasks.filter { numbers.contains($0.number) }
    return .document(Self.document(.accepted, report))
  }

  /// Logs lines like `audit: uid 0, pid 4711 asks the store to remove front/2026-11-20T10-15-30`.
  private func note(_ wish: OffloadRequest, by peer: LocalPeer) {
    let who = "audit: uid \(peer.user), pid \(peer.process) requests offload \(wish.verb):"
    guard let names = wish.names else { return log.always("\(who) all recordings") }
    var line = ""
    for name in names {
      if !line.isEmpty, line.utf8.count + name.utf8.count > Self.bytesInLine {
        log.always("\(who) \(line)")
        line = ""
      }
      line += line.isEmpty ? name : ", \(name)"
    }
    if !line.isEmpty { log.always("\(who) \(line)") }
  }

  private static func document(_ status: HTTPStatus, _ report: OffloadReport) -> HTTPDocument {
    var json = JSONWriter()
    report.write(into: &json)
    return HTTPDocument(
      status, mediaType: "application/json", bytes: json.document, fields: [("Cache-Control", "no-store")])
  }

  private static let notHere = HTTPProblem(
    .forbidden, .notPermitted,
    "This is available only over the server's status socket: run footage offload as root or as the server's user.")
  private static let notYou = HTTPProblem(
    .forbidden, .notPermitted,
    "Only root and the server's own user may request this: try sudo footage offload.")
  private static let nowhere = HTTPProblem(
    .notFound, .notFound, "This server uploads no recordings to a store: name one with footage serve --offload.")
  private static let badBody = HTTPProblem(
    .badRequest, .badBody,
    "The body must be {\"verb\": …, \"names\": […]} with one of the verbs now, restore, verify, read, release, remove "
      + "and at least one name, or {\"verb\": …, \"all\": true} with verify or read.")
}

extension OffloadTask.Verb {
  /// True if the command may be applied to all stored recordings at once, because it does not change the store.
  fileprivate var mayBeOfAll: Bool {
    switch self {
    case .verify, .read: true
    case .now, .restore, .release, .remove: false
    }
  }
}
