internal import FootageAPI
internal import FootageBase
package import FootageHTTP
package import FootageServing
internal import FootageLibrary
internal import FootageSystem
internal import FootageTLS

/// Answers requests on one loop, out of what the library published last.
///
/// Belongs to its loop's thread: nothing here is looked up on a disk or in SQLite.
package final class RecordingHandler: ServedHandler {
  private var snapshot: LibrarySnapshot
  private let control: AccessControl
  private let library: RecordingLibrary
  private let open: OpenFileCache
  private let films: FilmRoutes
  private let live: LiveRoutes
  private let lists: LibraryLists
  private let pages = Pages()
  private let pool: ReadingPool
  private let documents: DocumentQueue
  private let views: ViewQueue
  private let turns = ViewTurns()
  private let health: HealthMonitor
  private let metrics: Metrics
  private let requestCounter: RequestCounter
  private let tally: PlaybackTally
  private let protection: ProtectionRoutes
  private let delivery: SnapshotDelivery
  private let accessLog: AccessLog
  /// What is never to be taken for a page or a script, and not to be embedded by other origins' pages, which could
  /// learn from it whether and how long there are recordings.
  package let commonFields: StaticString
  package let crossOriginPolicy: CrossOriginPolicy?

  /// - Parameters:
  ///   - loops: among how many a server's lines in the log are divided.
  ///   - openFiles: how many to hold open between requests.
  ///   - rules: who may see what; nil where everybody may see everything.
  ///   - origins: whose pages may read what is answered.
  init(
    _ server: ServerFacilities, loops: Int, openFiles: Int, rules: ViewerRules?, origins: [WebOrigin],
    accessLog isLogged: Bool
  ) {
    library = server.library
    pool = server.pool
    views = server.views
    documents = server.documents
    health = server.health
    metrics = server.metrics
    delivery = server.delivery
    control = AccessControl(rules)
    tally = PlaybackTally(server.audit)
    requestCounter = metrics.makeCounter()
    crossOriginPolicy = CrossOriginPolicy(origins)
    commonFields =
      origins.isEmpty ? CommonFields.ofOwnPages : CommonFields.ofOtherPages
    protection = ProtectionRoutes(library, control, queue: server.protection, share: server.keepShare, server.log)
    accessLog = AccessLog(server.log, server.report, shares: loops, isOn: isLogged)
    snapshot = library.snapshot
    // A quarter is for films.
    open = OpenFileCache(library, pool: pool, limit: max(1, openFiles - openFiles / 4))
    films = FilmRoutes(server, control, openFilms: max(1, openFiles / 4))
    live = LiveRoutes(server, control)
    lists = LibraryLists(
      LibraryContents(snapshot: snapshot, library: library), robot: server.robot, documents: documents,
      viewers: server.viewers, control: control)
  }

  /// To be called once a second.
  func secondPassed() {
    open.secondPassed()
    films.secondPassed()
    accessLog.saySuppressed()
    tally.secondPassed()
  }

  /// Something has come of what grows.
  func filmsHaveGrown() { live.filmsHaveGrown() }

  /// From now on these recordings are there, and no others.
  func update(to snapshot: LibrarySnapshot) {
    // Two that come at once may come in either order.
    guard snapshot.generation >= self.snapshot.generation else { return }
    self.snapshot = snapshot
    open.keep { snapshot.recording(named: $0.name) === $0 }
    films.update(to: snapshot)
    lists.update(to: LibraryContents(snapshot: snapshot, library: library))
  }

  /// From now on these rules hold, for requests that wait as well, unless newer ones were heard of before.
  func update(to rules: ViewerRules, generation: UInt64) {
    guard control.update(to: rules, generation: generation) else { return }
    lists.accessChanged()
  }

  /// What most requests are for: a recording that this loop has open, under the target by which it was asked for
  /// before.
  package func respondAtOnce(to request: Request) -> (any ResponseBody)? {
    guard request.head.method == .get || request.head.method == .head,
      let body = open.body(at: request.head.targetBytes)
    else { return nil }
    return control.isOpen ? body : body.shown(to: access(of: request))
  }

  private func access(of request: Request) -> Access { control.access(over: request.connection) }

  /// What there is for somebody.
  private func recordings(for access: Access) -> VisibleRecordings { VisibleRecordings(snapshot, of: access.cameras) }

  package func respond(to request: Request) async throws(RequestBodyError) -> HTTPResponse {
    let method = request.head.method
    if method == .other || method == .connect {
      return .document(HTTPProblem.unknownMethod.document)
    }
    let resource: Resource
    do throws(ResourceError) { resource = try Resource(path: request.head.path, query: request.head.query) } catch {
      if method == .get || method == .head { return .document(HTTPProblem(error).document) }
      return ResourceMethods.reading.refusal(of: request.head, crossOriginPolicy)
    }
    guard resource.methods.contains(method), method != .options else {
      return resource.methods.refusal(of: request.head, crossOriginPolicy)
    }
    guard !resource.isRefused(to: request.head, crossOriginPolicy) else {
      return .document(HTTPProblem.foreignReader.document)
    }
    let access = access(of: request)
    switch access.verdict(on: resource, method: method) {
    case .shown:
      guard !resource.methods.areSafe else { return await show(resource, to: request) }
      let answer = try await protection.answer(to: request, about: resource)
      // Whatever is asked next, on whichever loop, is answered with the change.
      update(to: library.snapshot)
      await delivery(library.snapshot)
      return answer
    case .notPermitted:
      if await isVisible(resource, to: request) { return .document(HTTPProblem.notPermitted.document) }
      return .document(HTTPProblem.noSuchRecording.document)
    case .absent: return .document(HTTPProblem.noSuchRecording.document)
    }
  }

  /// Whether what a resource is about is there for the asker, whatever they may do with it.
  private func isVisible(_ resource: Resource, to request: Request) async -> Bool {
    switch resource {
    case .recording(let name, _): await recording(named: name, for: request) != nil
    case .camera(let name, _): access(of: request).cameras.contains(camera: name)
    case .page, .health, .metrics, .recordings, .cameras, .film: true
    }
  }

  /// Answers with what the asker may see, after that was found out.
  private func show(_ resource: Resource, to request: Request) async -> HTTPResponse {
    switch resource {
    case .page: return .representation(pages.document(isShared: access(of: request).isShared))
    case .health(let isLive): return .document(await health(for: request, isLive: isLive))
    case .metrics:
      let access = access(of: request)
      return .document(metrics.document(of: access.cameras, isShared: access.isShared))
    case .recordings(let query): return await lists.answer(with: .recordings(query), to: request)
    case .cameras: return await lists.answer(with: .cameras, to: request)
    case .recording(let name, .details): return await metadata(of: name, for: request)
    case .recording(let name, .raw): return await refusedFile(name, to: request)
    // They are asked to change something alone.
    case .recording(_, .protection), .camera(_, .protection): return .document(HTTPProblem.noSuchRecording.document)
    case .film(let key, let part): return await film(key, part, to: request)
    case .camera(let name, .timeline(let query)): return await lists.timeline(ofCamera: name, query, for: request)
    case .camera(let name, let view): return await film(ofCamera: name, view, to: request)
    case .recording(let name, .movie(let version)):
      // Under another spelling, perhaps.
      if let body = open.body(of: resource)?.shown(to: access(of: request)) { return .representation(body) }
      let viewer = Viewer(of: request)
      return await show(name, version, to: request) { [open] recording throws(LibraryError) in
        try await open.open(recording, isForEver: version != nil, for: viewer)
      } keep: { [open] body in
        open.keep(body, of: resource, at: request.head.targetBytes)
      }
    case .recording(let name, let view): return await show(view, of: name, to: request)
    }
  }

  // MARK: Recordings

  /// A name unknown in memory is looked up once in the catalog: `footage ingest` may have brought it in just now, and
  /// says its URL before the folder's event comes round.
  ///
  /// - Returns: nil as well where the asker may not see it, which is found out in the same way.
  private func recording(named name: String, for request: Request) async -> Recording? {
    let cameras = access(of: request).cameras
    if let recording = VisibleRecordings(snapshot, of: cameras).recording(named: name) { return recording }
    let library = library
    let found = await pool.run(for: Viewer(of: request)) { library.lookUp(name, of: cameras) }
    // The rules may have become others meanwhile.
    return found.flatMap { access(of: request).cameras.contains(camera: $0.camera) ? $0 : nil }
  }

  /// Answers with a view that is opened for this request alone.
  private func show(_ view: RecordingView, of name: String, to request: Request) async -> HTTPResponse {
    if case .mediaPlaylist = view, let film = recordings(for: access(of: request)).recording(named: name)?.film {
      await live.firstSegment(of: film, for: request)
    }
    let viewer = Viewer(of: request)
    let target = Array(Resource.recording(name: name, view).target.utf8)
    guard let place = views.place(for: viewer) else { return .document(HTTPProblem.busy.document) }
    // Before the turn, which nobody holds while the disk is waited for in turns of other work.
    guard let found = await recording(named: name, for: request) else {
      return .document(HTTPProblem.noSuchRecording.document)
    }
    guard await turns.take(for: viewer, target, over: request.connection) else {
      return .document(HTTPProblem.busy.document)
    }
    defer { turns.leave() }
    return await show(
      name, view.version, acceptsGrowing: true, found: found, to: request
    ) { [self] recording throws(LibraryError) in
      let origin = ViewTurns.Origin(recording)
      if let known = turns.view(at: target, of: origin) {
        return try body(view, known.representation, of: recording, in: place)
      }
      let representation = try await open(view, of: recording, for: viewer)
      turns.keep(ViewTurns.View(recording: recording, representation: representation), at: target, of: origin)
      return try body(view, representation, of: recording, in: place)
    }
  }

  /// Answers with what is opened of a recording.
  ///
  /// - Parameters:
  ///   - version: which alone will do; nil for any.
  ///   - acceptsGrowing: whether a recording that grows will do, where it has a film.
  ///   - found: what was found before, where nothing is to be looked up but in memory; nil where it is looked up.
  ///   - keep: called with what may be handed out again.
  private func show(
    _ name: String, _ version: VersionTag?, acceptsGrowing: Bool = false, found: Recording? = nil, to request: Request,
    _ open: (Recording) async throws(LibraryError) -> RecordingBody,
    keep: (RecordingBody) -> Void = { _ in }
  ) async -> HTTPResponse {
    for _ in 0..<Self.openAttempts {
      let known: Recording?
      if let found {
        let cameras = access(of: request).cameras
        known =
          VisibleRecordings(snapshot, of: cameras).recording(named: name)
          ?? (cameras.contains(camera: found.camera) ? found : nil)
      } else {
        known = await recording(named: name, for: request)
      }
      guard let recording = known else { return .document(HTTPProblem.noSuchRecording.document) }
      switch recording.state {
      case .recording where acceptsGrowing && recording.film != nil: break
      case .recording:
        return .document(
          HTTPProblem(
            .notFound, .notReady, "It is still being recorded: try again when the recorder has closed it."
          ).document)
      case .refused(let reason, _): return .document(HTTPProblem(.notFound, .refused, reason).document)
      case .ready: break
      }
      if let version, version != recording.versionTag { return .document(HTTPProblem.gone.document) }
      let wasPublished = snapshot.recording(named: name) === recording
      do throws(LibraryError) {
        let body = try await open(recording)
        // While it was opened, it may have been removed or replaced, and the rules may have become others.
        guard let shown = body.shown(to: access(of: request)) else { continue }
        if snapshot.recording(named: name) === recording {
          keep(body)
          return .representation(shown)
        }
        // What only the catalog knows yet is not kept, for nobody would say when it goes.
        if !wasPublished, snapshot.recording(named: name) == nil { return .representation(shown) }
      } catch {
        if wasPublished, snapshot.recording(named: name) !== recording { continue }
        if case .manifestBeingMade = error { return .document(HTTPProblem.manifestBeingMade) }
        return .document(failure(error).document)
      }
    }
    return .document(HTTPProblem.changed.document)
  }

  private func open(
    _ view: RecordingView, of recording: Recording, for viewer: Viewer
  ) async throws(LibraryError) -> Representation {
    let library = library
    return try await views.run(for: viewer) { () throws(LibraryError) in
      if case .manifest = view { return try library.openManifest(of: recording, for: viewer.hashValue) }
      return try library.open(recording, view)
    }
  }

  /// A view's body. It is not held open: its bytes are asked for once, by most viewers.
  private func body(
    _ view: RecordingView, _ representation: Representation, of recording: Recording, in place: ViewerPlace
  ) throws(LibraryError) -> RecordingBody {
    let lifetime: RecordingBody.Lifetime = view.version != nil ? .forEver : .revalidated
    guard let body = RecordingBody(representation, of: recording, lifetime, pool: pool) else {
      throw .headDamaged(name: recording.name)
    }
    body.place = place
    return body
  }

  /// A part of the film of a version, or of what grows.
  private func film(_ key: FilmKey, _ part: FilmPart, to request: Request) async -> HTTPResponse {
    do throws(LibraryError) {
      if case .next(let cursor) = part {
        guard let (film, recording) = films.growing(key, in: snapshot, for: request) else {
          return .document(HTTPProblem.gone.document)
        }
        return try await live.next(of: film, after: cursor, recording, for: request)
      }
      let body = try await films.part(part, of: key, in: snapshot, for: request)
      return body.map { .representation($0) } ?? .document(HTTPProblem.gone.document)
    } catch {
      return .document(failure(error).document)
    }
  }

  /// What a camera recorded over some time.
  private func film(ofCamera camera: String?, _ view: CameraView, to request: Request) async -> HTTPResponse {
    let viewer = Viewer(of: request)
    let target = Array(Resource.camera(name: camera, view).target.utf8)
    guard let place = views.place(for: viewer), await turns.take(for: viewer, target, over: request.connection) else {
      return .document(HTTPProblem.busy.document)
    }
    defer { turns.leave() }
    do throws(LibraryError) {
      let answer = try await films.camera(camera, view, in: snapshot, for: request, views, place, turns, at: target)
      return answer ?? .document(HTTPProblem.noSuchRecording.document)
    } catch {
      return .document(failure(error).document)
    }
  }

  /// What is said of what could not be opened.
  private func failure(_ error: LibraryError) -> HTTPProblem {
    if !error.isCausedByRequest { accessLog.write(.warning, about: nil, error.description) }
    return HTTPProblem(error)
  }

  /// A file that is refused, for whoever has to find out why.
  private func refusedFile(_ name: String, to request: Request) async -> HTTPResponse {
    let viewer = Viewer(of: request)
    guard let place = views.place(for: viewer) else { return .document(HTTPProblem.busy.document) }
    guard let recording = await recording(named: name, for: request) else {
      return .document(HTTPProblem.noSuchRecording.document)
    }
    do throws(LibraryError) {
      let body = try body(.raw, try await open(.raw, of: recording, for: viewer), of: recording, in: place)
      // The rules may have become others meanwhile.
      let verdict = access(of: request).verdict(on: .recording(name: name, .raw), method: request.head.method)
      guard verdict == .shown, let shown = body.shown(to: access(of: request)) else {
        return .document(HTTPProblem.noSuchRecording.document)
      }
      let fields: [(name: StaticString, value: String)] = [("Content-Disposition", recording.disposition)]
      return .representation(shown, fields: fields)
    } catch {
      return .document(HTTPProblem(error).document)
    }
  }

  /// What changes at every look is not worth waiting for.
  private static let openAttempts = 3

  private func metadata(of name: String, for request: Request) async -> HTTPResponse {
    guard let recording = await recording(named: name, for: request) else {
      return .document(HTTPProblem.noSuchRecording.document)
    }
    let now = library.now
    return .representation(
      DocumentBody(isShared: access(of: request).isShared) {
        var json = JSONWriter()
        recording.item(at: now).write(into: &json)
        return json.document
      })
  }

  /// As far as the asker may see it.
  private func health(for request: Request, isLive: Bool) async -> HTTPDocument {
    let access = access(of: request)
    let recordings = recordings(for: access)
    let count =
      access.cameras.isEverything
      ? recordings.count : await documents.run(for: Viewer(of: request)) { recordings.count }
    return HealthDocument.of(
      HealthReport(health.facts, seenBy: access.cameras, recordings: count), isLive: isLive, isShared: access.isShared)
  }

  // MARK: Refusals

  package func document(for refusal: ResponseRefusal) -> HTTPDocument { HTTPProblem.document(for: refusal) }

  // MARK: Log

  package func noteFailure(
    of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead
  ) {
    accessLog.write(.warning, about: nil, "\(request.target) breaks off: \(error)")
    // What does not come from elsewhere may come the next time.
    if case .away = error { return }
    if let body = body as? RecordingBody { open.giveUp(body) }
  }

  package var observers: [any ExchangeObserver] { [accessLog, requestCounter, tally] }
}
