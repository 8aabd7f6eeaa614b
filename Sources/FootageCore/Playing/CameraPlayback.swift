internal import FootageAPI
internal import FootageBase
internal import Synchronization

/// The footage of a camera over a time range, open for a player of HLS at a URL. It extends across recordings and the
/// gaps between them.
///
/// The bytes of its parts are read like those of a ``Playback``: from the cache, or else from the robot, after which
/// the cache keeps them. A part of a growing recording is passed on from the robot and not kept. The list of the parts
/// is the one that the robot sent last. Hold this object for as long as a player uses it.
public final class CameraPlayback: Sendable {
  /// The camera; nil for the recordings without a camera.
  public let camera: String?
  /// The camera's timeline for the time range, as it was when this playback was opened.
  public let timeline: RobotTimeline
  package let players = PlayerAccess()
  /// The playlist on the robot.
  private let film: Resource
  private let robot: RobotConnection
  private let state: Mutex<State>

  private struct State {
    var list: FilmList
    /// The versions, by the keys with which the addresses of their parts begin.
    var versions: [String: Version] = [:]
    /// The keys whose recordings were unknown when the timeline was requested.
    var unknown: Set<String> = []
    /// The recordings that were used last, with the latest one at the end.
    var opened: [Opened] = []
    var readAhead: ReadAhead?
  }

  private struct Version {
    let name: String
    let tag: VersionTag
  }

  private struct Opened {
    let name: String
    let opening: Task<Result<Playback, RobotError>, Never>
    var playback: Playback?
  }

  /// The number of recordings that are held open at once.
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

  /// The playbacks of the recordings that are open now. Their states show the progress and any trouble.
  public var playbacks: [Playback] { state.withLock { $0.opened.compactMap(\.playback) } }

  /// The distance that each recording of the film is fetched ahead of what players have read; nil for the default of
  /// ``Playback/readAhead``.
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

  /// The path of the playlist below a player's place, as on the robot.
  package var path: String { String(film.target.dropFirst()) }

  /// Returns the view at a target below this playback's URL.
  ///
  /// - Parameters:
  ///   - path: the percent-encoded path below the playback's URL, without the slash in between.
  ///   - query: the query without its `?`; nil if there is none.
  /// - Returns: the view, and the playback whose bytes it contains; nil if it contains no bytes of a recording.
  package func view(
    _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) async throws(PlaybackViewError) -> (view: PlaybackView, playback: Playback?) {
    guard let resource = try PlaybackView.resource([UInt8(ascii: "/")] + path, query) else { throw .notHere }
    if resource == film { return (PlaybackView(playlist: try await playlist()), nil) }
    guard case .film(let address, let part) = resource else { throw .notHere }
    let key = address.text
    let (isListed, version) = state.withLock { ($0.list.keys.contains(key), $0.versions[key]) }
    guard isListed else { throw .notListed }
    guard let version else { return (try await passedOn(resource), nil) }
    let playback: Playback
    do throws(RobotError) { playback = try await opened(version.name) } catch { throw PlaybackViewError(error) }
    return (try await playback.view(part, ofVersion: version.tag), playback)
  }

  // MARK: Its playlist

  /// Returns the robot's current playlist. If the playlist is complete, or the robot cannot be reached, it is the last
  /// one that the robot sent.
  private func playlist() async throws(PlaybackViewError) -> [UInt8] {
    let last = state.withLock { $0.list }
    guard !last.isWhole else { return last.text }
    do throws(RobotError) {
      let list = try await robot.filmList(film, of: camera)
      let isNew = state.withLock { state in
        state.list = list
        return !list.keys.isSubset(of: state.unknown.union(state.versions.keys))
      }
      // A new part is kept once its recording is known.
      if isNew { note(try await robot.timelineOfFilms(camera: camera, from: timeline.from, to: timeline.to)) }
      return list.text
    } catch {
      guard error.canPass else { throw PlaybackViewError(error) }
      return last.text
    }
  }

  private func note(_ timeline: RobotTimeline) {
    state.withLock { state in
      for part in timeline.spans.lazy.flatMap(\.recordings) where part.state == .ready {
        guard let tag = part.tag else { continue }
        // Earlier robots name films by tags.
        state.versions[part.film ?? tag] = Version(name: part.name, tag: VersionTag(text: tag))
      }
      state.unknown = state.list.keys.subtracting(state.versions.keys)
    }
  }

  /// Returns a part of a recording directly from the robot, because the recording is growing, or was growing when the
  /// playlist was made.
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
      // The next caller opens it again.
      case .failure: state.opened.remove(at: index)
      }
    }
    return try outcome.get()
  }
}
