internal import FootageStore
internal import FootageAPI
internal import FootageBase
package import FootageHTTP
package import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// Answers requests on one loop, out of the index of many robots and the store that has their recordings: under the same
/// forms of URLs as a robot, with its entity tags.
///
/// Belongs to its loop's thread: nothing here waits for SQLite or the store there.
package final class FleetHandler: ServedHandler {
  private let fleet: FleetFacilities
  private let control: AccessControl
  private let open: OpenFileCache
  private let films: FilmCache
  private let lists: LibraryLists
  private let pages = Pages()
  private let turns = ViewTurns()
  private let requestCounter: RequestCounter
  private let tally: PlaybackTally
  private let accessLog: AccessLog
  private let clock: Clock
  package let commonFields: StaticString
  package let crossOriginPolicy: CrossOriginPolicy?

  /// - Parameters:
  ///   - loops: among how many a server's lines in the log are divided.
  ///   - openFiles: how many recordings to hold open between requests.
  ///   - rules: who may see what; nil where everybody may see everything.
  ///   - origins: whose pages may read what is answered.
  init(
    _ fleet: FleetFacilities, loops: Int, openFiles: Int, rules: ViewerRules?, origins: [WebOrigin],
    accessLog isLogged: Bool, clock: Clock = .system
  ) {
    self.fleet = fleet
    self.clock = clock
    control = AccessControl(rules)
    tally = PlaybackTally(fleet.audit)
    requestCounter = fleet.metrics.makeCounter()
    crossOriginPolicy = CrossOriginPolicy(origins)
    commonFields = origins.isEmpty ? CommonFields.ofOwnPages : CommonFields.ofOtherPages
    accessLog = AccessLog(fleet.log, fleet.report, shares: loops, isOn: isLogged)
    let opener = fleet.recordings.opener
    // A quarter is for films.
    open = OpenFileCache(opener, pool: fleet.opening, limit: max(1, openFiles - openFiles / 4))
    films = FilmCache(opener, pool: fleet.opening, limit: max(1, openFiles / 4))
    lists = LibraryLists(
      FleetContents(fleet.index, clock: clock), robot: fleet.robot, documents: fleet.documents,
      viewers: fleet.viewers, control: control, isReadOnly: true)
  }

  func secondPassed() {
    open.secondPassed()
    films.secondPassed()
    accessLog.saySuppressed()
    tally.secondPassed()
  }

  /// The index has changed: requests that wait for lists look whether theirs have.
  func indexChanged() { lists.update(to: FleetContents(fleet.index, clock: clock)) }

  /// What is held open, to be asked for whether it is still there.
  var openVersions: [OpenVersion] {
    var versions: [OpenVersion] = []
    let note = { (recording: Recording) -> Bool in
      versions.append(OpenVersion(recording))
      return true
    }
    open.keep(where: note)
    films.keep(where: note)
    return versions
  }

  /// Closes what is not there any more.
  func close(_ gone: Set<OpenVersion>) {
    guard !gone.isEmpty else { return }
    open.keep { !gone.contains(OpenVersion($0)) }
    films.keep { !gone.contains(OpenVersion($0)) }
  }

  func update(to rules: ViewerRules, generation: UInt64) {
    guard control.update(to: rules, generation: generation) else { return }
    lists.accessChanged()
  }

  /// What most requests are for: a recording that this loop has open.
  package func respondAtOnce(to request: Request) -> (any ResponseBody)? {
    guard request.head.method == .get || request.head.method == .head,
      let body = open.body(at: request.head.targetBytes)
    else { return nil }
    return control.isOpen ? body : body.shown(to: access(of: request))
  }

  private func access(of request: Request) -> Access { control.access(over: request.connection) }

  package func respond(to request: Request) async throws(RequestBodyError) -> HTTPResponse {
    let method = request.head.method
    if method == .other || method == .connect { return .document(HTTPProblem.unknownMethod.document) }
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
    switch access(of: request).verdict(on: resource, method: method) {
    case .shown where resource.methods.areSafe: return await show(resource, to: request)
    // A robot's recordings are protected on the robot.
    case .shown: return .document(Self.nothingIsChangedHere.document)
    case .notPermitted where resource.methods.areSafe: return .document(HTTPProblem.notPermitted.document)
    case .notPermitted: return .document(Self.nothingIsChangedHere.document)
    case .absent: return .document(HTTPProblem.noSuchRecording.document)
    }
  }

  private static let nothingIsChangedHere = HTTPProblem(
    .forbidden, .notPermitted, "Nothing is changed here: ask the robot itself, which protects its recordings.")

  private func show(_ resource: Resource, to request: Request) async -> HTTPResponse {
    switch resource {
    case .page: return .representation(pages.document(isShared: access(of: request).isShared))
    case .health(let isLive): return .document(await health(for: request, isLive: isLive))
    case .metrics:
      let (access, metrics) = (access(of: request), fleet.metrics)
      return .document(
        await fleet.documents.run(for: Viewer(of: request)) {
          metrics.document(of: access.cameras, isShared: access.isShared)
        })
    case .recordings(let query): return await lists.answer(with: .recordings(query), to: request)
    case .cameras(let robot):
      return await lists.answer(with: robot.map { .camerasOf(robot: $0) } ?? .cameras, to: request)
    case .recording(let name, .details): return await details(of: name, for: request)
    case .recording(_, .raw), .recording(_, .protection), .camera(_, .protection):
      return .document(HTTPProblem.noSuchRecording.document)
    case .recording(let name, .movie(let version)):
      // Under another spelling, perhaps.
      if let body = open.body(of: resource)?.shown(to: access(of: request)) { return .representation(body) }
      let viewer = Viewer(of: request)
      return await show(name, version, to: request) { [open] stored throws(LibraryError) in
        try await open.open(stored.recording, isForEver: version != nil, for: viewer)
      } keep: { [open] body in
        open.keep(body, of: resource, at: request.head.targetBytes)
      }
    case .recording(let name, let view): return await show(view, of: name, to: request)
    case .film(let key, let part): return await film(key, part, to: request)
    case .camera(let name, .timeline(let query)): return await lists.timeline(ofCamera: name, query, for: request)
    case .camera(let name, let view): return await film(ofCamera: name, view, to: request)
    }
  }

  private func health(for request: Request, isLive: Bool) async -> HTTPDocument {
    let (health, access) = (fleet.health, access(of: request))
    let report = await fleet.documents.run(for: Viewer(of: request)) { health.report(seenBy: access.cameras) }
    return HealthDocument.of(report, isLive: isLive, isShared: access.isShared)
  }

  // MARK: Recordings

  /// - Returns: nil as well where the asker may not see it, which is found out in the same way.
  private func row(named name: String, for request: Request) async throws(LibraryError) -> FleetRow? {
    let now = UnixTimestamp(nanoseconds: clock.unixNanoseconds)
    let cameras = access(of: request).cameras
    let row = try await read(for: Viewer(of: request)) { (index) throws(FleetError) in
      try index.row(named: name, from: cameras, now: now)
    }
    // The rules may have become others meanwhile.
    return row.flatMap { access(of: request).cameras.contains(camera: $0.item.camera) ? $0 : nil }
  }

  /// - Parameter viewer: who asks, and whose turn it takes.
  private func read<Answer: Sendable>(
    for viewer: Viewer, _ body: @escaping @Sendable (FleetIndex) throws(FleetError) -> Answer
  ) async throws(LibraryError) -> Answer {
    let index = fleet.index
    do throws(FleetError) {
      return try await fleet.pool.run(for: viewer) { () throws(FleetError) in try body(index) }
    } catch {
      if case .index(let error) = error { throw .catalog(error) }
      throw .storeAway(name: "the index")
    }
  }

  private func details(of name: String, for request: Request) async -> HTTPResponse {
    do throws(LibraryError) {
      guard let item = try await row(named: name, for: request)?.item else {
        return .document(HTTPProblem.noSuchRecording.document)
      }
      return .representation(
        DocumentBody(isShared: access(of: request).isShared) {
          var json = JSONWriter()
          item.write(into: &json)
          return json.document
        })
    } catch { return .document(failure(error).document) }
  }

  /// Answers with what is opened of a recording.
  ///
  /// - Parameters:
  ///   - version: which alone will do; nil for any.
  ///   - keep: called with what may be handed out again.
  private func show(
    _ name: String, _ version: VersionTag?, to request: Request,
    _ open: (StoredRecording) async throws(LibraryError) -> RecordingBody, keep: (RecordingBody) -> Void = { _ in }
  ) async -> HTTPResponse {
    do throws(LibraryError) {
      guard let row = try await row(named: name, for: request) else {
        return .document(HTTPProblem.noSuchRecording.document)
      }
      if case .refused(let reason) = row.item.state {
        return .document(HTTPProblem(.notFound, .refused, "\(reason).").document)
      }
      if let version, version.text != row.tag { return .document(HTTPProblem.gone.document) }
      let body = try await open(try await fleet.recordings.recording(of: row))
      // While it was opened, the rules may have become others.
      guard let shown = body.shown(to: access(of: request)) else {
        return .document(HTTPProblem.noSuchRecording.document)
      }
      keep(body)
      return .representation(shown)
    } catch { return .document(failure(error).document) }
  }

  /// Answers with a view that is opened for this request alone. It may wait for the store, so that it takes no turn of the
  /// loop: the threads that open go round the viewers.
  private func show(_ view: RecordingView, of name: String, to request: Request) async -> HTTPResponse {
    let viewer = Viewer(of: request)
    guard let place = fleet.views.place(for: viewer) else { return .document(HTTPProblem.busy.document) }
    let (fleet, lifetime) = (fleet, view.version != nil ? RecordingBody.Lifetime.forEver : .revalidated)
    return await show(name, view.version, to: request) { stored throws(LibraryError) in
      let opener = fleet.recordings.opener
      let make: @Sendable () throws(LibraryError) -> Representation
      if case .manifest = view {
        make = { () throws(LibraryError) in try stored.recording.representation(ofManifest: stored.signed) }
      } else {
        try await fleet.recordings.prepareIndex(of: stored)
        make = { () throws(LibraryError) in try opener.open(stored.recording, view) }
      }
      let opened = try await fleet.opening.run(for: viewer, make)
      guard let body = RecordingBody(opened, of: stored.recording, lifetime, pool: fleet.opening) else {
        throw .headDamaged(name: name)
      }
      body.place = place
      return body
    }
  }

  // MARK: Films

  /// A part of the film of a version.
  private func film(_ key: FilmKey, _ part: FilmPart, to request: Request) async -> HTTPResponse {
    // Nothing grows in a store.
    if case .next = part { return .document(HTTPProblem.gone.document) }
    do throws(LibraryError) {
      let now = UnixTimestamp(nanoseconds: clock.unixNanoseconds)
      let (viewer, cameras) = (Viewer(of: request), access(of: request).cameras)
      let rows = try await read(for: viewer) { (index) throws(FleetError) in
        try index.rows(tagged: key.versionTag, from: cameras, now: now)
      }
      guard let row = rows.first else {
        return .document(HTTPProblem.gone.document)
      }
      let stored = try await fleet.recordings.recording(of: row)
      try await fleet.recordings.prepareIndex(of: stored)
      let film = try await films.film(of: stored.recording, for: viewer)
      let made: Representation
      do throws(LibraryError) {
        made = try await fleet.opening.run(for: viewer) { () throws(LibraryError) in try film.open(part) }
      } catch {
        if case .indexDamaged = error { films.giveUp(film) }
        throw error
      }
      let body = RecordingBody(made, of: stored.recording, .forEver, pool: fleet.opening)
      let shown = body?.shown(to: access(of: request))
      return shown.map { .representation($0) } ?? .document(HTTPProblem.gone.document)
    } catch { return .document(failure(error).document) }
  }

  /// The most recordings of one film: those of a day and two hours that are ten seconds long.
  private static let mostOfFilm = 10_000

  /// What a camera recorded over some time.
  private func film(ofCamera camera: String?, _ view: CameraView, to request: Request) async -> HTTPResponse {
    let viewer = Viewer(of: request)
    let target = Array(Resource.camera(name: camera, view).target.utf8)
    guard let place = fleet.views.place(for: viewer) else { return .document(HTTPProblem.busy.document) }
    do throws(LibraryError) {
      let now = UnixTimestamp(nanoseconds: clock.unixNanoseconds)
      let wanted: CameraFilmRequest
      switch try CameraFilmRequest.read(camera, view, now: now, growingEnd: { nil }) {
      case .answer(let response): return response ?? .document(HTTPProblem.noSuchRecording.document)
      case .film(let film): wanted = film
      }
      let cameras = access(of: request).cameras
      try CameraFilm.check(wanted.range, isClip: wanted.isClip)
      guard let camera, cameras.contains(camera: camera) else { throw .noFootage(before: nil, after: nil) }
      let origin = ViewTurns.Origin(wanted.range, of: cameras, generation: fleet.index.generation)
      // Before the turn, which nobody holds while the store is waited for.
      let snapshot = try await snapshot(ofCamera: camera, wanted, for: viewer, at: now)
      guard await turns.take(for: viewer, target, over: request.connection) else {
        return .document(HTTPProblem.busy.document)
      }
      defer { turns.leave() }
      let made: ViewTurns.View
      if let known = turns.view(at: target, of: origin) {
        made = known
      } else {
        let opener = fleet.recordings.opener
        made = try await fleet.views.run(for: viewer) { () throws(LibraryError) in
          let recordings = VisibleRecordings(snapshot, of: cameras)
          let film = try CameraFilm(ofCamera: camera, in: wanted.range, of: recordings, opener)
          return ViewTurns.View(recording: film.firstRecording, representation: try wanted.view(of: film))
        }
        turns.keep(made, at: target, of: origin)
      }
      let body = RecordingBody(made.representation, of: made.recording, .revalidated, pool: fleet.opening)
      body?.place = place
      guard let shown = body?.shown(to: access(of: request)) else {
        return .document(HTTPProblem.noSuchRecording.document)
      }
      let names = camera.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return .representation(
        shown, fields: wanted.fields(robot: names.first, camera: names.last, fleet.zone))
    } catch { return .document(failure(error).document) }
  }

  /// The recordings that a camera's film or clip is made of, with what is needed of them at hand.
  private func snapshot(
    ofCamera camera: String, _ wanted: CameraFilmRequest, for viewer: Viewer, at now: UnixTimestamp
  ) async throws(LibraryError) -> LibrarySnapshot {
    let range = wanted.range
    let limit = wanted.isClip ? LibraryLimits.clipRecordings + 1 : Self.mostOfFilm
    let rows = try await read(for: viewer) { (index) throws(FleetError) in
      try index.rows(ofCamera: camera, in: range, limit: limit, now: now)?.filter { $0.item.shift != nil }
    }
    guard let rows, !rows.isEmpty else {
      let around = try await read(for: viewer) { (index) throws(FleetError) in
        try index.momentsAround(range, ofCamera: camera)
      }
      throw .noFootage(before: around.before, after: around.after)
    }
    return LibrarySnapshot(try await fleet.recordings.recordings(of: rows))
  }

  /// What is said of what could not be opened.
  private func failure(_ error: LibraryError) -> HTTPProblem {
    if !error.isCausedByRequest { accessLog.write(.warning, about: nil, error.description) }
    return HTTPProblem(error)
  }

  // MARK: Refusals and log

  package func document(for refusal: ResponseRefusal) -> HTTPDocument { HTTPProblem.document(for: refusal) }

  package func noteFailure(of body: any ResponseBody, _ error: ResponseBodyError, answering request: RequestHead) {
    accessLog.write(.warning, about: nil, "\(request.target) breaks off: \(error)")
    // What does not come from the store may come the next time.
    if case .away = error { return }
    if let body = body as? RecordingBody { open.giveUp(body) }
  }

  package var observers: [any ExchangeObserver] { [accessLog, requestCounter, tally] }
}

/// A version that is held open, by its bytes.
struct OpenVersion: Hashable, Sendable {
  let name: [UInt8]
  let tag: String

  init(_ recording: Recording) {
    name = Array(recording.name.utf8)
    tag = recording.versionTag?.text ?? ""
  }
}
