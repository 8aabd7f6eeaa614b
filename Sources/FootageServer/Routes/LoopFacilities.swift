internal import FootageAnswers
internal import FootageAPI
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary

/// The objects of a loop's handler that do not depend on where its recordings come from. Belongs to its loop's thread.
final class LoopFacilities {
  let control: AccessControl
  /// The recordings that are held open between requests.
  let open: OpenFileCache
  let lists: LibraryLists
  let turns = ViewTurns()
  let crossOriginPolicy: CrossOriginPolicy?
  /// The fields of every response. They forbid interpreting it as a page or a script. Pages of other origins cannot
  /// embed a response either, unless they may read it. From an embedded response they could learn whether recordings
  /// exist, and how long they are.
  let commonFields: StaticString
  private let pages = Pages()
  private let requestCounter: RequestCounter
  private let tally: PlaybackTally
  private let accessLog: AccessLog

  /// The settings of a server that its loops need.
  struct Settings {
    /// The number of loops among which a server's log lines are divided.
    var loops: Int
    /// The number of recordings to hold open between requests, including films.
    var openFiles: Int
    /// The rights of viewers; nil if every viewer may see everything.
    var rules: ViewerRules?
    /// The origins of the pages that may read responses.
    var origins: [WebOrigin] = []
    var logsAccess = false

    /// The number of films to hold open: a quarter of the open files.
    var openFilms: Int { max(1, openFiles / 4) }
    fileprivate var openRecordings: Int { max(1, openFiles - openFiles / 4) }
  }

  /// - Parameters:
  ///   - contents: the contents of lists until others are published.
  ///   - isReadOnly: true if no viewer can change anything on this server, even with rights to do so.
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

  /// Does the work that is due every second. Call it once a second.
  func secondPassed() {
    open.secondPassed()
    accessLog.saySuppressed()
    tally.secondPassed()
  }

  /// Applies these rules from now on, to waiting requests as well, unless newer rules have been applied before.
  func update(to rules: ViewerRules, generation: UInt64) {
    guard control.update(to: rules, generation: generation) else { return }
    lists.accessChanged()
  }

  /// Returns the current rights of a request's viewer.
  func access(of request: Request) -> Access { control.access(over: request.connection) }

  /// Returns the body for most requests: a recording that this loop has open, and that was requested with the same
  /// target before.
  func openBody(for request: Request) -> (any ResponseBody)? {
    guard request.head.method == .get || request.head.method == .head,
      let body = open.body(at: request.head.targetBytes)
    else { return nil }
    return control.isOpen ? body : body.shown(to: access(of: request))
  }

  func page(for request: Request) -> HTTPResponse {
    .representation(pages.document(isShared: access(of: request).isShared))
  }

  /// Returns the problem for a recording that could not be opened. The error is logged, unless a viewer can cause it at
  /// will.
  func problem(_ error: LibraryError) -> HTTPResponse {
    if case .manifestBeingMade = error { return .document(HTTPProblem.manifestBeingMade) }
    if !error.isCausedByRequest { accessLog.write(.warning, about: nil, error.description) }
    return .document(HTTPProblem(error).document)
  }

  func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead) {
    accessLog.write(.warning, about: nil, "the response to \(request.target) was cut short: \(error)")
    // A failure of the network or the store may be over the next time.
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
