import FootageHTTP
import FootageServing
import FootageSystem
import Synchronization

/// A body in memory that can be cold, broken or changed on demand.
final class TestBody: ResponseBody {
  let bytes: [UInt8]
  /// The offset from which reads must wait.
  var coldFrom: UInt64 = .max
  /// The offset from which waiting reads fail.
  var brokenFrom: UInt64 = .max
  /// The number of bytes read after which `isUnchanged` is false.
  var changesAfter: UInt64 = .max
  /// The number of bytes at the start that are in memory and need no check for changes.
  var memoryPrefixByteCount: UInt64 = 0
  private var read: UInt64 = 0
  let metadata: RepresentationMetadata

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    guard let tag = EntityTag("\"abc\"") else { preconditionFailure("not a tag") }
    metadata = RepresentationMetadata(
      length: UInt64(bytes.count), mediaType: "video/mp4", entityTag: tag, lastModified: TestHandler.lastModified)
  }

  /// Returns `length` bytes that show their offset.
  static func pattern(_ length: Int) -> [UInt8] { (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) } }

  private var length: UInt64 { metadata.length }

  func readImmediately(
    at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(ResponseBodyError) -> Int {
    guard offset < coldFrom else { return 0 }
    let end = min(offset + UInt64(buffer.count), coldFrom, length)
    let part = bytes[Int(offset)..<Int(end)]
    buffer.copyBytes(from: part)
    read += UInt64(part.count)
    return part.count
  }

  func read(at offset: UInt64, count: Int) async throws(ResponseBodyError) -> [UInt8] {
    guard offset < brokenFrom else { throw .unreadable("the disk is broken") }
    read += UInt64(count)
    return Array(bytes[Int(offset)..<(Int(offset) + count)])
  }

  func isUnchanged() -> Bool { read < changesAfter }
}

/// A handler that serves `/file` (1000 bytes), `/big` (3 MiB), `/empty`, bodies that misbehave, and documents:
/// `/document`, and `/held`, whose answer says how its hold ended.
final class TestHandler: HTTPHandler {
  static let file = TestBody.pattern(1000)
  static let big = TestBody.pattern(3 << 20)
  static let lastModified: Int64 = 1_699_913_600

  let exchanges: ExchangeLog
  let commonFields: StaticString = "X-Common: yes\r\n"
  /// A body that stays open, like a recording.
  private let kept = TestBody(big)
  private let uploads = TestUploads()
  private var held: [any RequestConnection] = []

  /// Ends all holds.
  func wakeAll() {
    for connection in held { connection.endHold() }
  }

  init(_ exchanges: ExchangeLog) { self.exchanges = exchanges }

  /// Returns the bodies of the most frequent requests without waiting. The others use `respond`.
  func respondAtOnce(to request: Request) -> (any ResponseBody)? {
    let request = request.head
    if request.path.elementsEqual("/kept".utf8) { return kept }
    return request.path.elementsEqual("/file".utf8) && request.method == .get ? TestBody(Self.file) : nil
  }

  func respond(to asked: Request) async throws(RequestBodyError) -> HTTPResponse {
    let (request, connection) = (asked.head, asked.connection)
    if request.path.starts(with: "/upload".utf8) { return try await uploads.respond(to: asked) }
    guard request.method == .get || request.method == .head else {
      return .document(
        HTTPDocument(.methodNotAllowed, mediaType: "text/plain", bytes: [], fields: [("Allow", "GET, HEAD")]))
    }
    let body: TestBody
    switch String(decoding: request.path, as: UTF8.self) {
    case "/distant": return .representation(exchanges.distantDocument())
    case "/document": return .representation(exchanges.document())
    case "/held":
      let seconds = WaitPreference(of: request)?.seconds ?? WaitPreference.longest
      held.append(connection)
      exchanges.noteHold()
      let isWoken = await connection.hold(until: connection.clock.deadline(after: .seconds(seconds)))
      held.removeAll { $0 === connection }
      return .representation(
        TestBody(Array((isWoken ? "woken" : "over").utf8)), fields: [("Preference-Applied", "wait=\(seconds)")])
    case "/file": body = TestBody(Self.file)
    case "/big": body = TestBody(Self.big)
    case "/empty": body = TestBody([])
    case "/cold":
      body = TestBody(Self.big)
      body.coldFrom = 1000
    case "/broken":
      body = TestBody(Self.big)
      body.coldFrom = 1 << 20
      body.brokenFrom = 1 << 20
    case "/broken-at-once":
      body = TestBody(Self.big)
      body.coldFrom = 0
      body.brokenFrom = 0
    case "/changing":
      body = TestBody(Self.big)
      body.changesAfter = 1 << 20
    case "/steady":
      body = TestBody(Self.file)
      body.changesAfter = 0
      body.memoryPrefixByteCount = 10
    case "/changed":
      body = TestBody(Self.file)
      body.changesAfter = 0
    default: return .document(HTTPDocument(.notFound, mediaType: "text/plain", bytes: Array("nothing".utf8)))
    }
    return .representation(body)
  }

  func document(for refusal: ResponseRefusal) -> HTTPDocument {
    let (status, text): (HTTPStatus, String) =
      switch refusal {
      case .message(let refusal): (refusal.status, refusal.code)
      case .preconditionFailed: (.preconditionFailed, "precondition")
      case .rangeNotSatisfiable(let length): (.rangeNotSatisfiable, "\(length)")
      case .needsTLS(let authority): (.badRequest, "TLS, \(authority ?? "somewhere")")
      case .bodyFailed: (.serviceUnavailable, "body")
      case .certificateRequired: (.forbidden, "certificate")
      }
    return HTTPDocument(status, mediaType: "text/plain", bytes: Array(text.utf8))
  }

  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead) {
    exchanges.append(error)
  }

  var observers: [any ExchangeObserver] { [exchanges] }
}

/// The reports of handlers, from any thread.
final class ExchangeLog: ExchangeObserver, Sendable {
  private let state = Mutex(([HTTPExchange](), [StreamError](), [ResponseBodyError]()))
  private let counts = Mutex((holds: 0, documents: 0))
  let isWanted: Bool

  init(isWanted: Bool = true) { self.isWanted = isWanted }

  var exchanges: [HTTPExchange] { state.withLock { $0.0 } }
  var errors: [StreamError] { state.withLock { $0.1 } }
  var bodyErrors: [ResponseBodyError] { state.withLock { $0.2 } }
  /// The number of requests that were held.
  var holdCount: Int { counts.withLock { $0.holds } }
  var documentCount: Int { counts.withLock { $0.documents } }
  func noteHold() { counts.withLock { $0.holds += 1 } }

  /// Returns a document of three megabytes, which is rebuilt after it was released.
  func document() -> DocumentBody {
    guard let tag = EntityTag(strong: "document") else { preconditionFailure("not a tag") }
    let make = { [self] in
      counts.withLock { $0.documents += 1 }
      return TestHandler.big
    }
    let bytes = make()
    return DocumentBody(
      bytes,
      RepresentationMetadata(
        length: UInt64(bytes.count), mediaType: "text/plain", entityTag: tag, cacheControl: "no-cache",
        others: [("Content-Security-Policy", "default-src 'none'")]),
      remade: make)
  }

  /// Returns the same document, which is rebuilt asynchronously.
  func distantDocument() -> DocumentBody {
    let document = document()
    return DocumentBody(
      TestHandler.big, document.metadata,
      remadeElsewhere: { [self] in
        await Task.yield()
        counts.withLock { $0.documents += 1 }
        return TestHandler.big
      })
  }

  func append(_ error: ResponseBodyError) { state.withLock { $0.2.append(error) } }

  var wantsDurations: Bool { isWanted }

  func ended(_ exchange: borrowing HTTPExchange) {
    guard isWanted else { return }
    let exchange = copy exchange
    state.withLock { $0.0.append(exchange) }
  }

  func connectionFailed(_ error: StreamError, from peer: SocketAddress) { state.withLock { $0.1.append(error) } }
}
