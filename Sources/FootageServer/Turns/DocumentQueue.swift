internal import FootageAnswers
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import Synchronization
internal import FootageSystem

/// A queue that makes lists, camera summaries and timelines. It uses its own threads, because a document may visit all
/// recordings and have megabytes of JSON: neither loops nor the threads that read the disk may wait for it. The number
/// of waiting requests per viewer is limited, and the viewers are served in turn. Requests with equal questions that
/// wait at the same time share one answer. Shared by all loops.
final class DocumentQueue: Sendable {
  /// A question for a document. Equal questions have the same answer.
  struct Question: Hashable, Sendable {
    /// The target of the resource, compared byte by byte. Two spellings of `é` are equal strings, but different
    /// cameras.
    let target: [UInt8]
    let access: Access
    /// The generation of the contents from which the answer is made.
    let generation: UInt64
    /// The time that a timeline covers, which may depend on the clock; nil for other documents.
    var range: Range<UnixTimestamp>?
  }

  /// A document as it was made.
  struct Document: Sendable {
    let bytes: [UInt8]
    let tag: EntityTag
    /// Makes the same bytes again; nil if that is no longer possible. Blocks.
    let make: @Sendable () -> [UInt8]?
  }

  enum Answer {
    case document(Document)
    /// There is no such document, or it cannot be made at the moment.
    case nothing
    /// The viewer has the maximum number of waiting questions.
    case busy
  }

  /// A question that waits for its answer.
  private struct OpenQuestion {
    var waiting: [@Sendable (Document?) -> Void] = []
    /// True if a request needs the document, and not only its tag.
    var isWanted = false
    var isBeingAnswered = false
  }

  private struct State {
    var open: [Question: OpenQuestion] = [:]
    /// The tags of answers of the newest generation.
    var tags: [Question: EntityTag] = [:]
    var generation: UInt64 = 0
    var comparisonCount = 0
  }

  private let state = Mutex(State())
  private let pool: ViewerPool
  private let places = ViewerPlaces(limit: placesOfViewer)
  /// The limits on each viewer's documents that are kept in memory while they are sent.
  private let sending = ViewerPlaces()

  /// The maximum number of waiting questions per viewer. Viewers without certificates behind one address count as one
  /// viewer, and a page sends several questions at the same time.
  static let placesOfViewer = 64

  /// The number of documents that are made at the same time. Other work on the machine needs the remaining processors.
  private static let threadCount = 2
  /// The maximum number of tags that are kept. A document without a kept tag is made again.
  private static let mostTags = 1_024

  /// - Throws: `SystemError` if the system has no thread left.
  init() throws(SystemError) { pool = try ViewerPool(threadCount: Self.threadCount, name: "footage-lists") }

  /// The number of documents that were made only to see whether they are still the same.
  var comparisonCount: Int { state.withLock { $0.comparisonCount } }

  /// The number of requests that wait for answers.
  var waitingCount: Int { state.withLock { $0.open.values.reduce(0) { $0 + $1.waiting.count } } }

  /// The number of viewers who have questions waiting.
  var viewerCount: Int { places.viewerCount }

  /// Waits for the viewer's turn, and returns the answer to a question.
  ///
  /// - Parameters:
  ///   - hasPlace: true if the request already counts toward another limit of the viewer, and so does not count toward
  ///     the limit of this queue.
  ///   - make: makes the document; nil if there is none, or it cannot be made at the moment. It blocks.
  func answer(
    _ question: Question, for viewer: Viewer, hasPlace: Bool = false, make: @escaping @Sendable () -> [UInt8]?
  ) async -> Answer {
    guard hasPlace || places.take(viewer) else { return .busy }
    defer { if !hasPlace { places.leave(viewer) } }
    let made = await Suspension<Document?>.suspend { suspension in
      state.withLock { state in
        Self.wait(for: question, in: &state) { suspension.resume(returning: $0) }
        state.open[question]?.isWanted = true
      }
      addTurn(for: viewer, to: question, make)
    }
    return made.map(Answer.document) ?? .nothing
  }

  /// Returns the tag of a document that a request waits for. The document is made once for all such requests. The
  /// request does not count toward the limit of this queue, because it already counts as a waiting request.
  ///
  /// - Parameter make: as for `answer`.
  func tag(_ question: Question, for viewer: Viewer, make: @escaping @Sendable () -> [UInt8]?) async -> EntityTag? {
    await Suspension<EntityTag?>.suspend { suspension in
      // The lookup and the registration are one step, because the answer could arrive between them.
      let known: EntityTag? = state.withLock { state in
        if let known = state.tags[question] { return known }
        Self.wait(for: question, in: &state) { suspension.resume(returning: $0?.tag) }
        return nil
      }
      if let known { return suspension.resume(returning: known) }
      addTurn(for: viewer, to: question, make)
    }
  }

  /// Returns a place for a document that is kept in memory until it has been sent.
  ///
  /// - Returns: nil if the viewer has the maximum number of such documents.
  func placeToSend(for viewer: Viewer) -> ViewerPlace? { sending.place(for: viewer) }

  /// Makes a document again whose bytes were released while they were being sent.
  func bytes(of document: Document, for viewer: Viewer) async -> [UInt8] {
    await run(for: viewer) { document.make() ?? [] }
  }

  /// Runs other work that takes time, when it is the viewer's turn. It does not count toward the viewer's limit.
  func run<Value: Sendable>(for viewer: Viewer, _ body: @escaping @Sendable () -> Value) async -> Value {
    await pool.run(for: viewer, body)
  }

  /// Ends the threads. Call it when there are no more requests.
  func stop() { pool.stop() }

  private static func wait(
    for question: Question, in state: inout State, _ receive: @escaping @Sendable (Document?) -> Void
  ) {
    state.open[question, default: OpenQuestion()].waiting.append(receive)
  }

  /// Adds a viewer's turn for a question. Each waiting viewer has a turn for the question, and the first of these turns
  /// answers all of them. No viewer therefore waits for the turn of another.
  private func addTurn(
    for viewer: Viewer, to question: Question, _ make: @escaping @Sendable () -> [UInt8]?
  ) {
    pool.add(for: viewer) { [self] in answerOnce(question, make) }
  }

  private func answerOnce(_ question: Question, _ make: @escaping @Sendable () -> [UInt8]?) {
    let isFirst = state.withLock { state in
      guard let open = state.open[question], !open.isBeingAnswered else { return false }
      state.open[question]?.isBeingAnswered = true
      if !open.isWanted { state.comparisonCount += 1 }
      return true
    }
    guard isFirst else { return }
    let document = make().map { Document(bytes: $0, tag: DocumentBody.tag(of: $0), make: make) }
    let waiting = state.withLock { state in
      if let document { Self.keep(document.tag, of: question, in: &state) }
      return state.open.removeValue(forKey: question)?.waiting ?? []
    }
    for receive in waiting { receive(document) }
  }

  private static func keep(_ tag: EntityTag, of question: Question, in state: inout State) {
    guard question.generation >= state.generation else { return }
    if question.generation > state.generation {
      state.generation = question.generation
      state.tags = [:]
    }
    guard state.tags.count < mostTags || state.tags[question] != nil else { return }
    state.tags[question] = tag
  }
}
