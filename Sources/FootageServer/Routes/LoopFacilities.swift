internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary

/// The handler of a loop has these, wherever its recordings come from. Belongs to its loop's thread.
final class LoopFacilities {
  let control: AccessControl
  /// Recordings that are open between requests.
  let open: OpenFileCache
  let lists: LibraryLists
  let turns = ViewTurns()
  let crossOriginPolicy: CrossOriginPolicy?
  /// What is never to be taken for a page or a script, and not to be embedded by other origins' pages, which could
  /// learn from it whether and how long there are recordings.
  let commonFields: StaticString
  private let pages = Pages()
  private let requestCounter: RequestCounter
  private let tally: PlaybackTally
  private let accessLog: AccessLog

  /// How a server is set, as far as its loops go by it.
  struct Settings {
    /// Among how many loops a server's lines in the log are divided.
    var loops: Int
    /// How many recordings to hold open between requests, films included.
    var openFiles: Int
    /// Who may see what; nil where everybody may see everything.
    var rules: ViewerRules?
    /// Whose pages may read what is answered.
    var origins: [WebOrigin] = []
    var logsAccess = false

    /// A quarter is for films.
    var openFilms: Int { max(1, openFiles / 4) }
    fileprivate var openRecordings: Int { max(1, openFiles - openFiles / 4) }
  }

  /// - Parameters:
  ///   - contents: of which lists are made until others are published.
  ///   - isReadOnly: whether nobody changes anything here, whatever their rights are.
  init(
    _ settings: Settings, _ server: ServerFacilities, opening: any RecordingOpener, on pool: ReadingPool,
    contents: any ListContents, isReadOnly: Bool = false
  ) {
    control = AccessControl(settings.rules)
    tally = PlaybackTally(server.audit)
    requestCounter = server.metrics.makeCounter()
    crossOriginPolicy = CrossOriginPolicy(settings.origins)
    commonFields = settings.origins.isEmpty ? CommonFields.ofOwnPages : CommonFields.ofOtherPages
    accessLog = AccessLog(server.log, server.report, shares: settings.loops, isOn: settings.logsAccess)
    open = OpenFileCache(opening, pool: pool, limit: settings.openRecordings)
    lists = LibraryLists(
      contents, robot: server.robot, documents: server.documents, viewers: server.viewers, control: control,
      isReadOnly: isReadOnly)
  }

  var observers: [any ExchangeObserver] { [accessLog, requestCounter, tally] }

  /// To be called once a second.
  func secondPassed() {
    open.secondPassed()
    accessLog.saySuppressed()
    tally.secondPassed()
  }

  /// From now on these rules hold, for requests that wait as well, unless newer ones were heard of before.
  func update(to rules: ViewerRules, generation: UInt64) {
    guard control.update(to: rules, generation: generation) else { return }
    lists.accessChanged()
  }

  /// The rights of whoever asks, as they are now.
  func access(of request: Request) -> Access { control.access(over: request.connection) }

  /// What most requests are for: a recording that this loop has open, under the target by which it was asked for
  /// before.
  func openBody(for request: Request) -> (any ResponseBody)? {
    guard request.head.method == .get || request.head.method == .head,
      let body = open.body(at: request.head.targetBytes)
    else { return nil }
    return control.isOpen ? body : body.shown(to: access(of: request))
  }

  func page(for request: Request) -> HTTPResponse {
    .representation(pages.document(isShared: access(of: request).isShared))
  }

  /// What is said of what could not be opened. It is logged, unless whoever asks brings it about at will.
  func problem(_ error: LibraryError) -> HTTPResponse {
    if case .manifestBeingMade = error { return .document(HTTPProblem.manifestBeingMade) }
    if !error.isCausedByRequest { accessLog.write(.warning, about: nil, error.description) }
    return .document(HTTPProblem(error).document)
  }

  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead) {
    accessLog.write(.warning, about: nil, "\(request.target) breaks off: \(error)")
    // What does not come from elsewhere may come the next time.
    if case .away = error { return }
    if let body = body as? RecordingBody { open.giveUp(body) }
  }
}

extension LoopFacilities.Settings {
  init(_ parts: ServerResources, _ settings: ServerSettings) {
    self.init(
      loops: parts.loops.count, openFiles: parts.budget.recordingsPerLoop, rules: parts.rules,
      origins: settings.allowedOrigins, logsAccess: settings.accessLog)
  }
}
