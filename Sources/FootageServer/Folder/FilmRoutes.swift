internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The routes for the parts of films, which are listed in playlists.
///
/// Belongs to its loop's thread.
final class FilmRoutes {
  private let library: RecordingLibrary
  private let control: AccessControl
  private let pool: ReadingPool
  private let turns: ViewTurns
  private let films: FilmCache
  private let robotName: String?
  private let zone: TimeZoneRules

  /// - Parameter openFilms: the number of films to hold open between requests.
  init(_ folder: FolderFacilities, _ loop: LoopFacilities, openFilms: Int) {
    robotName = folder.server.robot.name
    zone = folder.library.naming.zone
    library = folder.library
    pool = folder.server.pool
    control = loop.control
    turns = loop.turns
    films = FilmCache(folder.library, pool: folder.server.pool, limit: openFilms)
  }

  /// Does the work that is due every second. To be called once a second.
  func secondPassed() { films.secondPassed() }

  /// Closes the films of recordings that are not in the new snapshot.
  func update(to snapshot: LibrarySnapshot) { films.keep { snapshot.recording(named: $0.name) === $0 } }

  /// Returns the film at this address if it is one that grows, or has grown within the last day.
  ///
  /// - Returns: nil if the viewer may see no such film.
  func growing(
    _ address: FilmAddress, in snapshot: LibrarySnapshot, for request: Request
  ) -> (film: GrowingFilm, recording: Recording)? {
    guard case .growing(let id) = address, let film = library.films.film(id) else { return nil }
    let access = control.access(over: request.connection)
    guard let recording = VisibleRecordings(snapshot, of: access.cameras).recording(named: film.name) else {
      return nil
    }
    return (film, recording)
  }

  /// Returns a part of the film of a version, or of a growing film.
  ///
  /// - Returns: nil if the viewer may see no such film.
  func part(
    _ part: FilmPart, of address: FilmAddress, in snapshot: LibrarySnapshot, for request: Request
  ) async throws(LibraryError) -> RecordingBody? {
    let viewer = Viewer(of: request)
    let film: OpenFilm
    let recording: Recording
    switch address {
    case .growing:
      guard let (growing, ofIt) = growing(address, in: snapshot, for: request) else { return nil }
      recording = ofIt
      film = try await films.film(of: growing, recording, for: viewer)
    case .version(let key, let track):
      let access = control.access(over: request.connection)
      guard let ofIt = VisibleRecordings(snapshot, of: access.cameras).recording(film: key) else { return nil }
      recording = ofIt
      film = try await films.film(of: recording, track: track, for: viewer)
    }
    let made: Representation
    do throws(LibraryError) {
      made = try await pool.run(for: viewer) { () throws(LibraryError) in try film.open(part) }
    } catch {
      if case .indexDamaged = error {
        films.giveUp(film)
        library.requestLook(at: recording.path)
      }
      throw error
    }
    let body = RecordingBody(made, of: recording, .forEver, pool: pool)
    // The rules may have changed meanwhile.
    return body?.shown(to: control.access(over: request.connection))
  }
}

extension FilmRoutes {
  /// Answers with the film or the clip of a camera for a period.
  ///
  /// - Parameters:
  ///   - view: a playlist or a clip.
  ///   - place: the place of this request in the queue of views, once it is the request's turn.
  ///   - target: the normalized target of the request.
  /// - Returns: nil if the viewer may no longer see the camera.
  func camera(
    _ camera: String?, _ view: CameraView, in snapshot: LibrarySnapshot, for request: Request, _ queue: ViewQueue,
    _ place: ViewerPlace, at target: [UInt8]
  ) async throws(LibraryError) -> HTTPResponse? {
    let cameras = control.access(over: request.connection).cameras
    let recordings = VisibleRecordings(snapshot, of: cameras)
    let wanted: CameraFilmRequest
    switch try CameraFilmRequest.read(
      camera, view, now: library.now, growingEnd: { recordings.growingEnd(ofCamera: camera) })
    {
    case .answer(let response): return response
    case .film(let film): wanted = film
    }
    let origin = ViewTurns.Origin(wanted.range, of: cameras, generation: snapshot.generation)
    let made: ViewTurns.View
    if let known = turns.view(at: target, of: origin) {
      made = known
    } else {
      let library = library
      made = try await queue.run(for: Viewer(of: request)) { () throws(LibraryError) in
        let film = try CameraFilm(ofCamera: camera, in: wanted.range, of: recordings, library)
        return ViewTurns.View(recording: film.firstRecording, representation: try wanted.view(of: film))
      }
      turns.keep(made, at: target, of: origin)
    }
    let body = RecordingBody(made.representation, of: made.recording, .revalidated, pool: pool)
    body?.place = place
    // The rules may have changed meanwhile.
    guard let shown = body?.shown(to: control.access(over: request.connection)) else { return nil }
    return .representation(shown, fields: wanted.fields(robot: robotName, camera: camera, zone))
  }
}
