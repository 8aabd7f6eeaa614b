internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// A source on one loop that answers from the library's newest snapshot of a folder of recordings.
///
/// Belongs to its loop's thread, on which it never reads from a disk or from SQLite.
final class FolderSource: ServedSource {
  private var snapshot: LibrarySnapshot
  let loop: LoopFacilities
  private let library: RecordingLibrary
  private let films: FilmRoutes
  private let live: LiveRoutes
  private let pool: ReadingPool
  private let documents: DocumentQueue
  private let views: ViewQueue
  private let health: HealthMonitor
  private let metrics: Metrics
  private let protection: ProtectionRoutes
  private let delivery: SnapshotDelivery

  /// - Parameter openFilms: the number of films to hold open between requests.
  private init(_ folder: FolderFacilities, _ loop: LoopFacilities, openFilms: Int, _ snapshot: LibrarySnapshot) {
    self.loop = loop
    self.snapshot = snapshot
    library = folder.library
    pool = folder.server.pool
    views = folder.server.views
    documents = folder.server.documents
    health = folder.health
    metrics = folder.server.metrics
    delivery = folder.delivery
    protection = ProtectionRoutes(folder, loop.control)
    films = FilmRoutes(folder, loop, openFilms: openFilms)
    live = LiveRoutes(folder, loop.control)
  }

  /// Creates the handler of one loop.
  static func makeHandler(_ folder: FolderFacilities, _ settings: LoopFacilities.Settings) -> LoopHandler<FolderSource>
  {
    let snapshot = folder.library.snapshot
    let loop = LoopFacilities(
      settings, folder.server, opening: folder.library, on: folder.server.pool,
      contents: LibraryContents(snapshot: snapshot, library: folder.library))
    return LoopHandler(FolderSource(folder, loop, openFilms: settings.openFilms, snapshot))
  }

  func secondPassed() { films.secondPassed() }

  /// Makes requests that wait for growing films check whether there are new fragments.
  func filmsHaveGrown() { live.filmsHaveGrown() }

  /// Serves the recordings of this snapshot from now on, and no others.
  func update(to snapshot: LibrarySnapshot) {
    // Two snapshots that are published at nearly the same time may arrive in either order.
    guard snapshot.generation >= self.snapshot.generation else { return }
    self.snapshot = snapshot
    loop.open.keep { snapshot.recording(named: $0.name) === $0 }
    films.update(to: snapshot)
    loop.lists.update(to: LibraryContents(snapshot: snapshot, library: library))
  }

  // MARK: Answers

  var refusalOfChanges: HTTPProblem? { nil }

  func has(_ resource: Resource, for request: Request) async -> Bool {
    switch resource {
    case .recording(let name, _): await recording(named: name, for: request) != nil
    case .camera(let name, _): access(of: request).cameras.contains(camera: name)
    case .page, .health, .metrics, .recordings, .cameras, .film: true
    }
  }

  /// Answers with the robot's health, reduced to what the viewer may see.
  func health(isLive: Bool, for request: Request) async -> HTTPResponse {
    let access = access(of: request)
    let recordings = VisibleRecordings(snapshot, of: access.cameras)
    let count =
      access.cameras.isEverything
      ? recordings.count : await documents.run(for: Viewer(of: request)) { recordings.count }
    let report = HealthReport(health.facts, seenBy: access.cameras, recordings: count)
    return .document(HealthDocument.of(report, isLive: isLive, isShared: access.isShared))
  }

  func metrics(for request: Request) -> HTTPResponse {
    let access = access(of: request)
    return .document(metrics.document(of: access.cameras, isShared: access.isShared))
  }

  /// Answers with all cameras, because a folder belongs to one robot.
  func cameras(ofRobot robot: String?, for request: Request) async -> HTTPResponse {
    await loop.lists.answer(with: .cameras, to: request)
  }

  func recording(_ name: String, _ view: RecordingView, for request: Request) async -> HTTPResponse {
    switch view {
    case .details: await details(of: name, for: request)
    case .raw: await refusedFile(name, to: request)
    case .movie(let version): await movie(name, version, to: request)
    default: await show(view, of: name, to: request)
    }
  }

  func camera(_ name: String?, _ view: CameraView, for request: Request) async -> HTTPResponse {
    switch view {
    case .timeline(let query): await loop.lists.timeline(ofCamera: name, query, for: request)
    default: await film(ofCamera: name, view, to: request)
    }
  }

  func change(_ resource: Resource, for request: Request) async throws(RequestBodyError) -> HTTPResponse {
    let answer = try await protection.answer(to: request, about: resource)
    // Later requests, on any loop, are answered with the change.
    update(to: library.snapshot)
    await delivery(library.snapshot)
    return answer
  }

  // MARK: Recordings

  /// Returns the recording of this name. A name that is not in memory is looked up once in the catalog:
  /// `footage ingest` may have just added it, and prints its URL before the folder's event arrives.
  ///
  /// - Returns: nil also if the viewer may not see the recording. A hidden and a missing recording take the same steps.
  private func recording(named name: String, for request: Request) async -> Recording? {
    let cameras = access(of: request).cameras
    if let recording = VisibleRecordings(snapshot, of: cameras).recording(named: name) { return recording }
    let library = library
    let found = await pool.run(for: Viewer(of: request)) { library.lookUp(name, of: cameras) }
    // The rules may have changed meanwhile.
    return found.flatMap { access(of: request).cameras.contains(camera: $0.camera) ? $0 : nil }
  }

  private func movie(_ name: String, _ version: VersionTag?, to request: Request) async -> HTTPResponse {
    let (resource, open, viewer) = (
      Resource.recording(name: name, .movie(version: version)), loop.open, Viewer(of: request)
    )
    // The recording may be open under another spelling of its target.
    if let body = open.body(of: resource)?.shown(to: access(of: request)) { return .representation(body) }
    return await show(name, version, to: request) { recording throws(LibraryError) in
      try await open.open(recording, isForEver: version != nil, for: viewer)
    } keep: { body in
      open.keep(body, of: resource, at: request.head.targetBytes)
    }
  }

  /// Answers with a view that is opened for this request alone.
  private func show(_ view: RecordingView, of name: String, to request: Request) async -> HTTPResponse {
    if case .mediaPlaylist = view,
      let film = VisibleRecordings(snapshot, of: access(of: request).cameras).recording(named: name)?.film
    {
      await live.firstSegment(of: film, for: request)
    }
    let viewer = Viewer(of: request)
    let target = Array(Resource.recording(name: name, view).target.utf8)
    guard let place = views.place(for: viewer) else { return .document(HTTPProblem.busy.document) }
    // This precedes the turn, so that no request holds a turn while its lookup waits for the disk after other work.
    guard let found = await recording(named: name, for: request) else {
      return .document(HTTPProblem.noSuchRecording.document)
    }
    guard await loop.turns.take(for: viewer, target, over: request.connection) else {
      return .document(HTTPProblem.busy.document)
    }
    defer { loop.turns.leave() }
    return await show(
      name, view.version, acceptsGrowing: true, found: found, to: request
    ) { [self] recording throws(LibraryError) in
      let origin = ViewTurns.Origin(recording)
      if let known = loop.turns.view(at: target, of: origin) {
        return try body(view, known.representation, of: recording, in: place)
      }
      let representation = try await open(view, of: recording, for: viewer)
      loop.turns.keep(ViewTurns.View(recording: recording, representation: representation), at: target, of: origin)
      return try body(view, representation, of: recording, in: place)
    }
  }

  /// Answers with the body that the closure opens for a recording.
  ///
  /// - Parameters:
  ///   - version: the only acceptable version; nil for any version.
  ///   - acceptsGrowing: true if a growing recording is acceptable, provided it has a film.
  ///   - found: the recording that was found earlier; nil to look it up. Later lookups search only the memory.
  ///   - keep: called with the body if it may be used for further requests.
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
        return .document(HTTPProblem.notReady.document)
      case .refused(let reason, _): return .document(HTTPProblem.refused(reason).document)
      case .ready: break
      }
      if let version, version != recording.versionTag { return .document(HTTPProblem.gone.document) }
      let wasPublished = snapshot.recording(named: name) === recording
      do throws(LibraryError) {
        let body = try await open(recording)
        // While it was opened, the recording may have been removed or replaced, and the rules may have changed.
        guard let shown = body.shown(to: access(of: request)) else { continue }
        if snapshot.recording(named: name) === recording {
          keep(body)
          return .representation(shown)
        }
        // A recording that only the catalog knows so far is not kept open, because no snapshot would report its
        // removal.
        if !wasPublished, snapshot.recording(named: name) == nil { return .representation(shown) }
      } catch {
        if wasPublished, snapshot.recording(named: name) !== recording { continue }
        return loop.problem(error)
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

  /// Returns a view's body. It is not held open for further requests, because most viewers request its bytes once.
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

  func film(_ address: FilmAddress, _ part: FilmPart, for request: Request) async -> HTTPResponse {
    do throws(LibraryError) {
      if case .next(let cursor) = part {
        guard let (film, recording) = films.growing(address, in: snapshot, for: request) else {
          return .document(HTTPProblem.gone.document)
        }
        return try await live.next(of: film, after: cursor, recording, for: request)
      }
      let body = try await films.part(part, of: address, in: snapshot, for: request)
      return body.map { .representation($0) } ?? .document(HTTPProblem.gone.document)
    } catch {
      return loop.problem(error)
    }
  }

  /// Answers with the film or clip of a camera for a period.
  private func film(ofCamera camera: String?, _ view: CameraView, to request: Request) async -> HTTPResponse {
    let viewer = Viewer(of: request)
    let target = Array(Resource.camera(name: camera, view).target.utf8)
    guard let place = views.place(for: viewer), await loop.turns.take(for: viewer, target, over: request.connection)
    else {
      return .document(HTTPProblem.busy.document)
    }
    defer { loop.turns.leave() }
    do throws(LibraryError) {
      let answer = try await films.camera(camera, view, in: snapshot, for: request, views, place, at: target)
      return answer ?? .document(HTTPProblem.noSuchRecording.document)
    } catch {
      return loop.problem(error)
    }
  }

  /// Answers with the unchanged bytes of a refused file, so that a person can find out why it is refused.
  private func refusedFile(_ name: String, to request: Request) async -> HTTPResponse {
    let viewer = Viewer(of: request)
    guard let place = views.place(for: viewer) else { return .document(HTTPProblem.busy.document) }
    guard let recording = await recording(named: name, for: request) else {
      return .document(HTTPProblem.noSuchRecording.document)
    }
    do throws(LibraryError) {
      let body = try body(.raw, try await open(.raw, of: recording, for: viewer), of: recording, in: place)
      // The rules may have changed meanwhile.
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

  /// The maximum number of attempts to open a recording. If the recording changes each time, the request fails.
  private static let openAttempts = 3

  private func details(of name: String, for request: Request) async -> HTTPResponse {
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
}
