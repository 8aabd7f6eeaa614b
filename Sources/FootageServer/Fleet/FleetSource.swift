internal import FootageAnswers
internal import FootageStore
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// A source on one loop that answers from the index of many robots and from the store with their recordings. It uses
/// the same URLs and entity tags as a robot.
///
/// Belongs to its loop's thread, on which it never waits for SQLite or the store.
final class FleetSource: ServedSource {
  private let fleet: FleetFacilities
  let loop: LoopFacilities
  private let films: FilmCache
  private let clock: Clock

  /// - Parameter openFilms: the number of films to hold open between requests.
  private init(_ fleet: FleetFacilities, _ loop: LoopFacilities, openFilms: Int, clock: Clock) {
    self.fleet = fleet
    self.loop = loop
    self.clock = clock
    films = FilmCache(fleet.recordings.opener, pool: fleet.opening, limit: openFilms)
  }

  /// Creates the handler of one loop.
  static func makeHandler(
    _ fleet: FleetFacilities, _ settings: LoopFacilities.Settings, clock: Clock = .system
  ) -> LoopHandler<FleetSource> {
    let loop = LoopFacilities(
      settings, fleet.server, opening: fleet.recordings.opener, on: fleet.opening,
      contents: FleetContents(fleet.index, clock: clock), isReadOnly: true)
    return LoopHandler(FleetSource(fleet, loop, openFilms: settings.openFilms, clock: clock))
  }

  func secondPassed() { films.secondPassed() }

  /// After a change of the index, makes requests that wait for lists check whether their lists have changed.
  func indexChanged() { loop.lists.update(to: FleetContents(fleet.index, clock: clock)) }

  /// The versions that are held open, so that a caller can check whether they still exist.
  var openVersions: [OpenVersion] {
    var versions: [OpenVersion] = []
    let note = { (recording: Recording) -> Bool in
      versions.append(OpenVersion(recording))
      return true
    }
    loop.open.keep(where: note)
    films.keep(where: note)
    return versions
  }

  /// Closes versions that no longer exist.
  func close(_ gone: Set<OpenVersion>) {
    guard !gone.isEmpty else { return }
    loop.open.keep { !gone.contains(OpenVersion($0)) }
    films.keep { !gone.contains(OpenVersion($0)) }
  }

  // MARK: Answers

  /// The refusal of every request for a change, because recordings are protected on their robots.
  let refusalOfChanges: HTTPProblem? = HTTPProblem(
    .forbidden, .notPermitted, "This server changes nothing: ask the robot itself, which protects its recordings.")

  /// Returns true for every resource, because no resource of a recording on this server needs a right.
  func has(_ resource: Resource, for request: Request) -> Bool { true }

  func health(isLive: Bool, for request: Request) async -> HTTPResponse {
    let (health, access) = (fleet.health, access(of: request))
    let report = await fleet.server.documents.run(for: Viewer(of: request)) { health.report(seenBy: access.cameras) }
    return .document(HealthDocument.of(report, isLive: isLive, isShared: access.isShared))
  }

  func metrics(for request: Request) async -> HTTPResponse {
    let (access, metrics) = (access(of: request), fleet.server.metrics)
    return .document(
      await fleet.server.documents.run(for: Viewer(of: request)) {
        metrics.document(of: access.cameras, isShared: access.isShared)
      })
  }

  func cameras(ofRobot robot: String?, for request: Request) async -> HTTPResponse {
    await loop.lists.answer(with: robot.map { .camerasOf(robot: $0) } ?? .cameras, to: request)
  }

  func recording(_ name: String, _ view: RecordingView, for request: Request) async -> HTTPResponse {
    switch view {
    case .details: await details(of: name, for: request)
    // Files that a robot refuses are only on the robot.
    case .raw: .document(HTTPProblem.noSuchRecording.document)
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

  /// Answers that changes are not permitted. Never called, because `refusalOfChanges` refuses them first.
  func change(_ resource: Resource, for request: Request) -> HTTPResponse {
    .document(HTTPProblem.notPermitted.document)
  }

  // MARK: Recordings

  /// - Returns: nil also if the viewer may not see the recording. A hidden and a missing recording take the same steps.
  private func row(named name: String, for request: Request) async throws(LibraryError) -> FleetRow? {
    let now = UnixTimestamp(nanoseconds: clock.unixNanoseconds)
    let cameras = access(of: request).cameras
    let row = try await read(for: Viewer(of: request)) { (index) throws(FleetError) in
      try index.row(named: name, from: cameras, now: now)
    }
    // The rules may have changed meanwhile.
    return row.flatMap { access(of: request).cameras.contains(camera: $0.item.camera) ? $0 : nil }
  }

  /// - Parameter viewer: the viewer in whose turn the index is read.
  private func read<Answer: Sendable>(
    for viewer: Viewer, _ body: @escaping @Sendable (FleetIndex) throws(FleetError) -> Answer
  ) async throws(LibraryError) -> Answer {
    let index = fleet.index
    do throws(FleetError) {
      return try await fleet.server.pool.run(for: viewer) { () throws(FleetError) in try body(index) }
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
    } catch { return loop.problem(error) }
  }

  /// Answers with the body that the closure opens for a recording.
  ///
  /// - Parameters:
  ///   - version: the only acceptable version; nil for any version.
  ///   - keep: called with the body if it may be used for further requests.
  private func show(
    _ name: String, _ version: VersionTag?, to request: Request,
    _ open: (StoredRecording) async throws(LibraryError) -> RecordingBody, keep: (RecordingBody) -> Void = { _ in }
  ) async -> HTTPResponse {
    do throws(LibraryError) {
      guard let row = try await row(named: name, for: request) else {
        return .document(HTTPProblem.noSuchRecording.document)
      }
      if case .refused(let reason) = row.item.state {
        return .document(HTTPProblem.refused("\(reason).").document)
      }
      if let version, version.text != row.tag { return .document(HTTPProblem.gone.document) }
      let body = try await open(try await fleet.recordings.recording(of: row))
      // The rules may have changed while the recording was opened.
      guard let shown = body.shown(to: access(of: request)) else {
        return .document(HTTPProblem.noSuchRecording.document)
      }
      keep(body)
      return .representation(shown)
    } catch { return loop.problem(error) }
  }

  private func movie(_ name: String, _ version: VersionTag?, to request: Request) async -> HTTPResponse {
    let (resource, open, viewer) = (
      Resource.recording(name: name, .movie(version: version)), loop.open, Viewer(of: request)
    )
    // The recording may be open under another spelling of its target.
    if let body = open.body(of: resource)?.shown(to: access(of: request)) { return .representation(body) }
    return await show(name, version, to: request) { stored throws(LibraryError) in
      try await open.open(stored.recording, isForEver: version != nil, for: viewer)
    } keep: { body in
      open.keep(body, of: resource, at: request.head.targetBytes)
    }
  }

  /// Answers with a view that is opened for this request alone. Opening it may wait for the store, so it takes place on
  /// the threads that open recordings. These serve the viewers in turn.
  private func show(_ view: RecordingView, of name: String, to request: Request) async -> HTTPResponse {
    let viewer = Viewer(of: request)
    guard let place = fleet.server.views.place(for: viewer) else { return .document(HTTPProblem.busy.document) }
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

  func film(_ address: FilmAddress, _ part: FilmPart, for request: Request) async -> HTTPResponse {
    // Nothing in a store grows.
    guard case .version(let key, let track) = address else { return .document(HTTPProblem.gone.document) }
    if case .next = part { return .document(HTTPProblem.gone.document) }
    do throws(LibraryError) {
      let now = UnixTimestamp(nanoseconds: clock.unixNanoseconds)
      let (viewer, cameras) = (Viewer(of: request), access(of: request).cameras)
      let row = try await read(for: viewer) { (index) throws(FleetError) in
        try index.row(film: key, from: cameras, now: now)
      }
      guard let row else { return .document(HTTPProblem.gone.document) }
      let stored = try await fleet.recordings.recording(of: row)
      try await fleet.recordings.prepareIndex(of: stored)
      let film = try await films.film(of: stored.recording, track: track, for: viewer)
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
    } catch { return loop.problem(error) }
  }

  /// The maximum number of recordings in one film. The longest film, of 26 hours, has 9,360 recordings if each lasts
  /// ten seconds.
  private static let mostOfFilm = 10_000

  /// Answers with the film or clip of a camera for a period.
  private func film(ofCamera camera: String?, _ view: CameraView, to request: Request) async -> HTTPResponse {
    let viewer = Viewer(of: request)
    let target = Array(Resource.camera(name: camera, view).target.utf8)
    guard let place = fleet.server.views.place(for: viewer) else { return .document(HTTPProblem.busy.document) }
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
      // This precedes the turn, so that no request holds a turn while it waits for the store.
      let snapshot = try await snapshot(ofCamera: camera, wanted, for: viewer, at: now)
      guard await loop.turns.take(for: viewer, target, over: request.connection) else {
        return .document(HTTPProblem.busy.document)
      }
      defer { loop.turns.leave() }
      let made: ViewTurns.View
      if let known = loop.turns.view(at: target, of: origin) {
        made = known
      } else {
        let opener = fleet.recordings.opener
        made = try await fleet.server.views.run(for: viewer) { () throws(LibraryError) in
          let recordings = VisibleRecordings(snapshot, of: cameras)
          let film = try CameraFilm(ofCamera: camera, in: wanted.range, of: recordings, opener)
          return ViewTurns.View(recording: film.firstRecording, representation: try wanted.view(of: film))
        }
        loop.turns.keep(made, at: target, of: origin)
      }
      let body = RecordingBody(made.representation, of: made.recording, .revalidated, pool: fleet.opening)
      body?.place = place
      guard let shown = body?.shown(to: access(of: request)) else {
        return .document(HTTPProblem.noSuchRecording.document)
      }
      let names = camera.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return .representation(
        shown, fields: wanted.fields(robot: names.first, camera: names.last, fleet.zone))
    } catch { return loop.problem(error) }
  }

  /// Returns a snapshot of the recordings in a camera's film or clip, after loading the parts of them that are needed.
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
}

/// A version that is held open, identified by the bytes of its name and by its tag.
struct OpenVersion: Hashable, Sendable {
  let name: [UInt8]
  let tag: String

  init(_ recording: Recording) {
    name = Array(recording.name.utf8)
    tag = recording.versionTag?.text ?? ""
  }
}
