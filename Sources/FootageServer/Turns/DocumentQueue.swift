internal import FootageAnswers
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import Synchronization
internal import FootageSystem

/// Makes lists, sums of cameras and timelines off the loops, and off the threads that read the disk: each walks up to all
/// recordings, and is megabytes of JSON. Each viewer has some places, turns go round the viewers, and equal questions that
/// wait at the same time are answered once. Shared by all loops.
final class DocumentQueue: Sendable {
  /// What is asked for. Equal questions have equal answers.
  struct Question: Hashable, Sendable {
    /// Of the resource, byte by byte: as strings, two spellings of `é` are equal, and they are two cameras.
    let target: [UInt8]
    let access: Access
    /// Of what the answer is made of.
    let generation: UInt64
    /// Of a timeline, the time that it is about, which the clock may have said.
    var range: Range<UnixTimestamp>?
  }

  /// A document as it was made.
  struct Document: Sendable {
    let bytes: [UInt8]
    let tag: EntityTag
    /// Makes the same bytes again; nil where they cannot be had any more. Blocks.
    let make: @Sendable () -> [UInt8]?
  }

  enum Answer {
    case document(Document)
    /// There is none, or it cannot be made just now.
    case nothing
    /// The viewer has as many questions waiting as may be.
    case busy
  }

  /// A question that waits for its answer.
  private struct OpenQuestion {
    var waiting: [@Sendable (Document?) -> Void] = []
    /// True if somebody wants the document, and not its tag alone.
    var isWanted = false
    var isBeingAnswered = false
  }

  private struct State {
    var open: [Question: OpenQuestion] = [:]
    /// Of answers of the newest generation.
    var tags: [Question: EntityTag] = [:]
    var generation: UInt64 = 0
    var comparisonCount = 0
  }

  private let state = Mutex(State())
  private let pool: ViewerPool
  private let places = ViewerPlaces(limit: placesOfViewer)
  /// Of documents that are kept in memory for as long as they are sent.
  private let sending = ViewerPlaces()

  /// Questions of one viewer that may wait: viewers behind one address share them, and a page asks several at once.
  static let placesOfViewer = 64

  /// Documents that are made at once; the machine has other things to do.
  private static let threadCount = 2
  /// Tags that are kept. What has none is made again.
  private static let mostTags = 1_024

  /// - Throws: `SystemError` where the system has no thread left.
  init() throws(SystemError) { pool = try ViewerPool(threadCount: Self.threadCount, name: "footage-lists") }

  /// The number of documents that were made only to see whether they are still the same.
  var comparisonCount: Int { state.withLock { $0.comparisonCount } }

  /// The number of those who wait for answers.
  var waitingCount: Int { state.withLock { $0.open.values.reduce(0) { $0 + $1.waiting.count } } }

  /// The number of viewers who have questions waiting.
  var viewerCount: Int { places.viewerCount }

  /// The answer to a question, when it is the viewer's turn.
  ///
  /// - Parameters:
  ///   - hasPlace: whether the viewer has a place for it elsewhere, and needs none here.
  ///   - make: nil where there is no such document, or it cannot be made just now. Blocks.
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

  /// The tag of a document that is waited for: made once, whoever waits for it. Takes no place, for who waits for a list
  /// has one already.
  ///
  /// - Parameter make: as of `answer`.
  func tag(_ question: Question, for viewer: Viewer, make: @escaping @Sendable () -> [UInt8]?) async -> EntityTag? {
    await Suspension<EntityTag?>.suspend { suspension in
      // Between a look at what is known and a question of one's own, the answer may have come.
      let known: EntityTag? = state.withLock { state in
        if let known = state.tags[question] { return known }
        Self.wait(for: question, in: &state) { suspension.resume(returning: $0?.tag) }
        return nil
      }
      if let known { return suspension.resume(returning: known) }
      addTurn(for: viewer, to: question, make)
    }
  }

  /// A place for a document that is kept in memory until it was sent.
  ///
  /// - Returns: nil where the viewer has as many as may be.
  func placeToSend(for viewer: Viewer) -> ViewerPlace? { sending.place(for: viewer) }

  /// Makes a document again whose bytes were let go while they were sent.
  func bytes(of document: Document, for viewer: Viewer) async -> [UInt8] {
    await run(for: viewer) { document.make() ?? [] }
  }

  /// Runs something else that takes time, when it is the viewer's turn. Takes no place.
  func run<Value: Sendable>(for viewer: Viewer, _ body: @escaping @Sendable () -> Value) async -> Value {
    await pool.run(for: viewer, body)
  }

  /// To be called when nobody asks any more.
  func stop() { pool.stop() }

  private static func wait(
    for question: Question, in state: inout State, _ receive: @escaping @Sendable (Document?) -> Void
  ) {
    state.open[question, default: OpenQuestion()].waiting.append(receive)
  }

  /// Adds the asker's turn for a question. The first turn of a question answers all, so that nobody waits for another's.
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
