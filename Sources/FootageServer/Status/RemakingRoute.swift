internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageLibrary
internal import FootageServing
internal import FootageSystem
internal import Synchronization

/// The route `/again`, for root and the server's own user on this machine. It lists the recordings that older rules made,
/// and rebuilds one by the present rules (`footage ingest --again`).
///
/// A rebuilt recording is a new version for all clients, so the client is identified by what the kernel reports about
/// the other end of a socket with a path. Each request is logged.
final class RemakingRoute: Sendable {
  /// The library; nil if the server has no folder.
  private let library: RecordingLibrary?
  /// The queue in which recordings are rebuilt, because that reads their files.
  private let documents: DocumentQueue
  private let log: Log
  /// The ID of the user as whom the server runs.
  private let ownUser: UInt32
  /// True while a recording is rebuilt. Only one is at a time, so that lists and viewers do not wait for them.
  private let isBusy = Atomic<Bool>(false)

  static let path = "/again"
  /// The longest body in bytes: a name of the greatest length, each byte of it escaped.
  private static let longestBody: UInt64 = 32 << 10

  init(_ library: RecordingLibrary?, on documents: DocumentQueue, log: Log, ownUser: UInt32 = Process.user) {
    self.library = library
    self.documents = documents
    self.log = log
    self.ownUser = ownUser
  }

  func answer(to request: Request) async throws(RequestBodyError) -> HTTPResponse {
    guard let peer = request.localPeer else { return .document(Self.notHere.document) }
    guard peer.user == 0 || peer.user == ownUser else { return .document(Self.notYou.document) }
    guard let library else { return .document(Self.nothing.document) }
    switch request.head.method {
    case .get, .head:
      let after = Self.name(after: request.head.query)
      let names = await documents.run(for: .thisMachine) { library.snapshot.namesOfOlderRules }
      return .document(Self.document { OlderRecordings(names, after: after).write(into: &$0) })
    case .post: break
    default: return .document(HTTPProblem.methodNotAllowed("GET, HEAD, POST").document)
    }
    guard !request.head.isFromForeignPage else { return .document(HTTPProblem.foreignOrigin.document) }
    guard request.head.hasJSON else { return .document(HTTPProblem.notJSON.document) }
    let body = try await request.body.bytes(within: RequestBodyLimit(byteCount: Self.longestBody))
    guard let name = JSONValue(body)?["name"]?.string, !name.isEmpty else { return .document(Self.badBody.document) }
    guard !isBusy.exchange(true, ordering: .acquiring) else { return .document(HTTPProblem.busy.document) }
    defer { isBusy.store(false, ordering: .releasing) }
    log.always("audit: uid \(peer.user), pid \(peer.process) requests ingest --again: \(NameBytes.shown(name))")
    let result = await documents.run(for: .thisMachine) {
      do throws(LibraryError) { return RemakingResult(try library.remake(name)) } catch {
        return RemakingResult(name: name, failed: error.description)
      }
    }
    return .document(Self.document { result.write(into: &$0) })
  }

  /// Reads the query `after=NAME`; nil if there is none.
  private static func name(after query: ArraySlice<UInt8>?) -> String? {
    guard let query, query.starts(with: "after=".utf8) else { return nil }
    return PercentEncoding.decode(query.dropFirst("after=".utf8.count)).flatMap {
      String(validating: $0, as: UTF8.self)
    }
  }

  private static func document(_ write: (inout JSONWriter) -> Void) -> HTTPDocument {
    var json = JSONWriter()
    write(&json)
    return HTTPDocument(
      .ok, mediaType: "application/json", bytes: json.document, fields: [("Cache-Control", "no-store")])
  }

  private static let notHere = HTTPProblem(
    .forbidden, .notPermitted,
    "This is available only over the server's status socket: run footage ingest --again as root or as the server's "
      + "user.")
  private static let notYou = HTTPProblem(
    .forbidden, .notPermitted,
    "Only root and the server's own user may request this: try sudo footage ingest --again.")
  private static let nothing = HTTPProblem(.notFound, .notFound, "This server has no folder of recordings.")
  private static let badBody = HTTPProblem(
    .badRequest, .badBody, "The body must be {\"name\": …} with the name of a recording.")
}
