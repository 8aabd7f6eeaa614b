internal import FootageAPI
internal import FootageBase
internal import Synchronization

/// A time of a camera that is open for a player of HLS: across its recordings and the gaps between them, at a URL.
///
/// Each part of it comes as that of a ``Playback`` does: out of the cache, and from the robot where it is missing there,
/// which keeps it. What is being recorded is passed on from the robot and not kept. The list of the parts is the
/// robot's, as it said it last. Hold this object for as long as something plays from it.
public final class CameraPlayback: Sendable {
  /// Nil for the recordings without a camera.
  public let camera: String?
  /// What there is of that time, as it was when it was opened.
  public let timeline: RobotTimeline
  package let players = PlayerAccess()
  /// Its playlist, as the robot has it.
  private let film: Resource
  private let robot: RobotConnection
  private let state: Mutex<State>

  private struct State {
    var list: FilmList
    /// By what the addresses of its parts begin with, what each recording is called.
    var names: [String: String] = [:]
    /// What had no name when the timeline was asked for.
    var nameless: Set<String> = []
    /// Those that were used last, the last one at the end.
    var opened: [Opened] = []
    var readAhead: ReadAhead?
  }

  private struct Opened {
    let name: String
    let opening: Task<Result<Playback, RobotError>, Never>
    var playback: Playback?
  }

  /// Recordings that are held open at once.
  private static let openLimit = 4

  init(
    of film: Resource, _ camera: String?, by robot: RobotConnection, _ list: FilmList, _ timeline: RobotTimeline
  ) {
    self.film = film
    self.camera = camera
    self.robot = robot
    self.timeline = timeline
    state = Mutex(State(list: list))
    note(timeline)
  }

  deinit { state.withLock { $0.opened.forEach { $0.opening.cancel() } } }

  /// Those of its recordings that are open now: their states tell what comes, and what is in the way.
  public var playbacks: [Playback] { state.withLock { $0.opened.compactMap(\.playback) } }

  /// How far each of its recordings is fetched ahead of what players have read; nil for what ``Playback/readAhead`` is
  /// where nothing is said.
  public var readAhead: ReadAhead? {
    get { state.withLock { $0.readAhead } }
    set {
      let playbacks = state.withLock { state in
        state.readAhead = newValue
        return state.opened.compactMap(\.playback)
      }
      if let newValue { playbacks.forEach { $0.readAhead = newValue } }
    }
  }

  /// The playlist's path below a player's place, as it lies on the robot.
  package var path: String { String(film.target.dropFirst()) }

  /// What a target in this playback's own place shows.
  ///
  /// - Parameters:
  ///   - path: behind that place and its slash; percent-encoded.
  ///   - query: without its `?`; nil where there is none.
  /// - Returns: that, and the playback whose bytes it has; nil where it has its own alone.
  package func view(
    _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) async throws(PlaybackViewError) -> (view: PlaybackView, playback: Playback?) {
    guard let resource = try PlaybackView.resource([UInt8(ascii: "/")] + path, query) else { throw .notHere }
    if resource == film { return (PlaybackView(playlist: try await playlist()), nil) }
    guard case .film(let key, _) = resource else { throw .notHere }
    let (isListed, name) = state.withLock { ($0.list.keys.contains(key.text), $0.names[key.text]) }
    guard isListed else { throw .notListed }
    guard let name else { return (try await passedOn(resource), nil) }
    let playback: Playback
    do throws(RobotError) { playback = try await opened(name) } catch { throw PlaybackViewError(error) }
    guard let view = try await playback.view(path, query) else { throw .notHere }
    return (view, playback)
  }

  // MARK: Its playlist

  /// As the robot has it now, while it grows; else, and where the robot is away, as it was.
  private func playlist() async throws(PlaybackViewError) -> [UInt8] {
    let last = state.withLock { $0.list }
    guard !last.isWhole else { return last.text }
    do throws(RobotError) {
      let list = try await robot.filmList(film, of: camera)
      let isNew = state.withLock { state in
        state.list = list
        return !list.keys.isSubset(of: state.nameless.union(state.names.keys))
      }
      // What has come is kept once it has a name.
      if isNew { note(try await robot.timeline(camera: camera, from: timeline.from, to: timeline.to)) }
      return list.text
    } catch {
      guard error.canPass else { throw PlaybackViewError(error) }
      return last.text
    }
  }

  private func note(_ timeline: RobotTimeline) {
    state.withLock { state in
      for part in timeline.spans.lazy.flatMap(\.recordings) where part.state == .ready {
        if let tag = part.tag { state.names[tag] = part.name }
      }
      state.nameless = state.list.keys.subtracting(state.names.keys)
    }
  }

  /// A part of what is being recorded, or was when the list was made.
  private func passedOn(_ resource: Resource) async throws(PlaybackViewError) -> PlaybackView {
    do throws(RobotError) { return try await robot.part(resource, of: camera) } catch {
      throw PlaybackViewError(error)
    }
  }

  // MARK: Its recordings

  private func opened(_ name: String) async throws(RobotError) -> Playback {
    let opening = state.withLock { state in
      let known = state.opened.firstIndex { ExactName($0.name) == ExactName(name) }.map { state.opened.remove(at: $0) }
      let opened =
        known
        ?? Opened(
          name: name,
          opening: Task { [robot] in
            do throws(RobotError) { return .success(try await robot.playbackOfFilm(name)) } catch {
              return .failure(error)
            }
          })
      state.opened.append(opened)
      if state.opened.count > Self.openLimit { state.opened.removeFirst() }
      return opened.opening
    }
    let outcome = await opening.value
    state.withLock { state in
      guard let index = state.opened.firstIndex(where: { $0.opening == opening }) else { return }
      switch outcome {
      case .success(let playback) where state.opened[index].playback == nil:
        if let readAhead = state.readAhead { playback.readAhead = readAhead }
        state.opened[index].playback = playback
      case .success: break
      // Whoever asks next has it opened anew.
      case .failure: state.opened.remove(at: index)
      }
    }
    return try outcome.get()
  }
}
