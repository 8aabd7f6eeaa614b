internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageServing
internal import FootageLibrary
internal import FootageSystem

/// The routes for viewers who watch recordings while they grow. Each new fragment is sent a moment after it was
/// written.
///
/// Belongs to its loop's thread.
final class LiveRoutes {
  private let films: GrowingFilms
  private let control: AccessControl
  private let viewers: ViewerPlaces
  private let pool: ReadingPool
  private var waiting: [ObjectIdentifier: any RequestConnection] = [:]

  /// The longest time that a request waits for a fragment.
  private static let patience = Duration.seconds(10)
  /// The longest time that a request waits for a first segment, which may last up to 12 s and one fragment.
  private static let segmentPatience = Duration.seconds(14)

  init(_ folder: FolderFacilities, _ control: AccessControl) {
    films = folder.library.films
    viewers = folder.server.viewers
    pool = folder.server.pool
    self.control = control
  }

  /// Makes every waiting request check once whether its film has new fragments.
  func filmsHaveGrown() { for connection in waiting.values { connection.endHold() } }

  /// Answers with the fragments that follow a position in a film, as soon as there are any.
  ///
  /// - Parameter recording: the recording of the film, which the viewer may see.
  func next(
    of film: GrowingFilm, after cursor: FilmCursor?, _ recording: Recording, for request: Request
  ) async throws(LibraryError) -> HTTPResponse {
    guard let viewer = begin(request) else { return .document(HTTPProblem.tooManyWait.document) }
    defer { end(request, viewer) }
    let deadline = request.clock.deadline(after: Self.patience)
    var isOver = false
    while true {
      switch try film.next(after: cursor) {
      case nil: return .document(HTTPProblem.noSuchCursor.document)
      case .closed: return .document(HTTPProblem.filmIsClosed.document)
      case .fragments(let representation, let next, let skipped):
        var fields: [(name: StaticString, value: String)] = [("Footage-Next", next.text)]
        if let skipped { fields.append(("Footage-Skipped", String(skipped))) }
        // The rules may have changed meanwhile.
        guard
          let body = RecordingBody(representation, of: recording, .once, pool: pool)?
            .shown(to: control.access(over: request.connection))
        else { return .document(HTTPProblem.noSuchRecording.document) }
        return .representation(body, fields: fields)
      case .nothing:
        guard !isOver else {
          return .document(
            HTTPDocument(.noContent, mediaType: "", bytes: [], fields: [("Cache-Control", "no-store")]))
        }
        isOver = !(await request.connection.hold(until: deadline))
      }
    }
  }

  /// Waits until a film has a complete segment: most players treat a playlist without segments as broken.
  func firstSegment(of film: GrowingFilm, for request: Request) async {
    guard !film.hasSegment, let viewer = begin(request) else { return }
    defer { end(request, viewer) }
    let deadline = request.clock.deadline(after: Self.segmentPatience)
    while !film.hasSegment, await request.connection.hold(until: deadline) {}
  }

  /// - Returns: nil if the viewer has the maximum number of waiting requests.
  private func begin(_ request: Request) -> Viewer? {
    let viewer = Viewer(of: request)
    guard viewers.take(viewer) else { return nil }
    films.beginWaiting()
    waiting[ObjectIdentifier(request.connection)] = request.connection
    return viewer
  }

  private func end(_ request: Request, _ viewer: Viewer) {
    waiting[ObjectIdentifier(request.connection)] = nil
    films.endWaiting()
    viewers.leave(viewer)
  }
}
