internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP
internal import FootageServing

/// A source from which the handler of a loop answers.
protocol ServedSource: RecordingSource where Asker == Request, BodyFailure == RequestBodyError {
  /// The objects of the loop that do not depend on where recordings come from.
  var loop: LoopFacilities { get }

  /// Does the work that is due every second. The handler calls it once a second.
  func secondPassed()
}

extension ServedSource {
  func access(of request: Request) -> Access { loop.access(of: request) }

  func page(for request: Request) -> HTTPResponse { loop.page(for: request) }

  func list(_ query: ListQuery, for request: Request) async -> HTTPResponse {
    await loop.lists.answer(with: .recordings(query), to: request)
  }
}

/// A handler that answers requests on one loop. Belongs to its loop's thread, on which it never waits for a disk, a
/// database or a store.
final class LoopHandler<Source: ServedSource>: ServedHandler {
  let source: Source
  private let loop: LoopFacilities
  private let handler: RecordingHandler<Source>

  init(_ source: Source) {
    self.source = source
    loop = source.loop
    handler = RecordingHandler(source, loop.crossOriginPolicy)
  }

  var commonFields: StaticString { loop.commonFields }
  var crossOriginPolicy: CrossOriginPolicy? { loop.crossOriginPolicy }
  var observers: [any ExchangeObserver] { loop.observers }

  func secondPassed() {
    source.secondPassed()
    loop.secondPassed()
  }

  func update(to rules: ViewerRules, generation: UInt64) { loop.update(to: rules, generation: generation) }

  func respondAtOnce(to request: Request) -> (any ResponseBody)? { loop.openBody(for: request) }

  func respond(to request: Request) async throws(RequestBodyError) -> HTTPResponse {
    try await handler.answer(to: request.head, of: request)
  }

  func document(for refusal: ResponseRefusal) -> HTTPDocument { HTTPProblem.document(for: refusal) }

  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead) {
    loop.noteFailure(of: body, error, answering: request)
  }
}
