internal import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import Synchronization

/// The film of a playback, which is opened when it is first needed. All work for it ends with this object.
final class PlaybackFilm: Sendable {
  private typealias Opening = Task<Result<VersionFilm, MediaCacheError>, Never>

  private let held: CachedVersion
  private let opening = Mutex<Opening?>(nil)

  /// - Parameter held: the version, which is held for as long as this object exists.
  init(of held: CachedVersion) { self.held = held }

  deinit { opening.withLock { $0 }?.cancel() }

  /// - Throws: the errors of `CachedVersion.openFilm`.
  func opened() async throws(MediaCacheError) -> VersionFilm {
    let task = opening.withLock { opening in
      if let opening { return opening }
      let task = Opening { [held] in
        do throws(MediaCacheError) { return .success(try await held.openFilm()) } catch { return .failure(error) }
      }
      opening = task
      return task
    }
    let outcome = await task.value
    if case .failure = outcome { forget(task) }
    return try outcome.get()
  }

  /// Forgets a failed attempt, so that the next caller opens the film again.
  private func forget(_ task: Opening) { opening.withLock { if $0 == task { $0 = nil } } }

  /// Returns the view at a target.
  ///
  /// - Parameters:
  ///   - path: the percent-encoded path below the playback's URL, without the slash in between:
  ///     `recordings/front/x.m3u8`, `front/x.m3u8`, or `hls/KEY/0.m4s`.
  ///   - query: the query without its `?`; nil if there is none.
  /// - Returns: nil for the whole recording.
  func view(
    _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) async throws(PlaybackViewError) -> PlaybackView? {
    guard let resource = try Self.resource(path, query) else { return nil }
    switch resource {
    case .film(let address, let part):
      guard address == self.address else { throw .gone }
      return try await view(part)
    case .recording(let name, let view):
      if let version = view.version, version != tag { throw .gone }
      return try await shown(view, named: name, depth: path.count { $0 == UInt8(ascii: "/") })
    default: throw .notHere
    }
  }

  /// Returns a part of the film.
  ///
  /// - Parameter tag: the only acceptable version.
  func view(_ part: FilmPart, ofVersion tag: VersionTag) async throws(PlaybackViewError) -> PlaybackView {
    guard tag == self.tag else { throw .gone }
    return try await view(part)
  }

  private func view(_ part: FilmPart) async throws(PlaybackViewError) -> PlaybackView {
    try await movie(isForEver: true) { (views) throws(ViewError) in try views.part(part) }
  }

  /// Returns a part of the recording as one movie.
  func clip(start: DecimalSeconds, end: DecimalSeconds) async throws(PlaybackViewError) -> PlaybackView {
    try await movie(isForEver: true) { (views) throws(ViewError) in try views.clip(start: start, end: end) }
  }

  /// Returns the key frame at or before a second, as a movie.
  func keyFrame(at seconds: DecimalSeconds) async throws(PlaybackViewError) -> PlaybackView {
    try await movie(isForEver: true) { (views) throws(ViewError) in try views.keyFrame(at: seconds) }
  }

  /// Returns the bytes of the key frame at or before a second if all of them are on this device. The robot is not
  /// asked.
  ///
  /// - Returns: nil if they are not cached, or there is no key frame.
  func keyFrameHere(at seconds: DecimalSeconds) async -> Composition? {
    guard let film = await held.filmHere() else { return nil }
    let bytes = await held.disk.perform { () -> Composition? in
      (try? film.views.keyFrame(at: seconds)).flatMap { film.views.index.places.served($0.composition) }
    }
    guard let bytes else { return nil }
    let available = held.state.withLock { $0.machine.available }
    return bytes.ranges().allSatisfy { available.contains($0) } ? bytes : nil
  }

  /// Returns the bytes of the recording that its film needs to show a range of time. They begin with the segment that
  /// contains the start of the range.
  ///
  /// - Parameter milliseconds: the range of time in the presentation.
  func bytes(of milliseconds: Range<Int64>) async throws(PlaybackViewError) -> RangeSet {
    let (compositions, film) = try await made { (views) throws(ViewError) in
      guard views.isFilm else { throw .noFilm }
      var compositions: [Composition] = []
      for number in try views.segments(of: milliseconds, isCutAtStart: false, isCutAtEnd: false) {
        compositions.append(try views.segment(number).composition)
      }
      return compositions
    }
    return RangeSet(compositions.flatMap { film.views.index.places.served($0)?.ranges() ?? [] })
  }

  private var tag: VersionTag { VersionTag(entityTag: held.version.tag) }

  /// The address of its parts, as on the robot.
  private var address: FilmAddress {
    .version(FilmKey(ofRecording: held.key.name, entityTag: held.version.tag))
  }

  /// - Returns: nil if the path does not name a view. Any other path stands for the recording itself.
  private static func resource(
    _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) throws(PlaybackViewError) -> Resource? {
    let isWhole = ["recordings/", "\(FilmAddress.root)/"].contains { path.starts(with: $0.utf8) }
    return try PlaybackView.resource(Array((isWhole ? "/" : "/recordings/").utf8) + path, query)
  }

  /// - Parameter depth: the number of slashes in the target below the playback's place. The relative URLs in a playlist
  ///   go up by that many folders.
  private func shown(
    _ view: RecordingView, named name: String, depth: Int
  ) async throws(PlaybackViewError) -> PlaybackView? {
    // The kept index describes the track that films show.
    guard view.track == nil else { throw .otherTrack }
    let isForEver = view.version != nil
    let prefix = String(repeating: "../", count: depth) + address.folder
    switch view {
    case .movie: return nil
    case .keyFrame(let seconds, _, _):
      return try await movie(isForEver: isForEver) { (views) throws(ViewError) in try views.keyFrame(at: seconds) }
    case .keyFrames(let distance, let speed, _, _):
      return try await movie(isForEver: isForEver) { (views) throws(ViewError) in
        try views.keyFrames(every: distance, speed: speed)
      }
    case .clip(let start, let end, _, _):
      return try await movie(isForEver: isForEver) { (views) throws(ViewError) in
        try views.clip(start: start, end: end)
      }
    case .playlist:
      let base = PercentEncoding.encodePath(name.split(separator: "/").last.map(String.init) ?? name)
      return try await playlist { (views) throws(ViewError) in
        try views.variants(media: "\(base).media.m3u8", keyFrames: "\(base).iframes.m3u8")
      }
    case .mediaPlaylist:
      let start = try await start()
      return try await playlist { (views) throws(ViewError) in
        try views.mediaPlaylist(from: start, prefix: prefix)
      }
    case .keyFramePlaylist:
      let start = try await start()
      return try await playlist { (views) throws(ViewError) in
        try views.keyFramePlaylist(from: start, prefix: prefix)
      }
    case .details, .raw, .protection, .index, .manifest: throw .notHere
    }
  }

  /// Returns the time at which the recording begins, from the robot's latest description of it.
  private func start() async throws(PlaybackViewError) -> UnixTimestamp {
    if let item = await held.store.item(of: held) { return UnixTimestamp(item.startedAt) }
    let source = held.state.withLock { $0.source }
    do throws(FetchFailure) { return UnixTimestamp(try await source.item(of: held.key).startedAt) } catch {
      throw PlaybackViewError(held.error(error))
    }
  }

  // MARK: Making views

  private func movie(
    isForEver: Bool, _ make: @escaping @Sendable (RecordingViews) throws(ViewError) -> RecordingViews.View
  ) async throws(PlaybackViewError) -> PlaybackView {
    let (view, film) = try await made(make)
    guard let bytes = film.views.index.places.served(view.composition) else {
      throw .absent(
        .noSuchView, "Some bytes of this view are not part of the served recording: request it from the robot.")
    }
    let label = film.isLocal ? "\(view.label)-local" : view.label
    let tag = VersionTag.entityTag(of: String(held.version.tag.dropFirst().dropLast()), view: label)
    return PlaybackView(bytes: bytes, mediaType: "video/mp4", entityTag: "\"\(tag)\"", isForEver: isForEver)
  }

  private func playlist(
    _ make: @escaping @Sendable (RecordingViews) throws(ViewError) -> [UInt8]
  ) async throws(PlaybackViewError) -> PlaybackView {
    PlaybackView(playlist: try await made(make).made)
  }

  /// Makes a view on the disk's thread. If the index turns out to be damaged, it is removed, and the film is opened
  /// once more with another index.
  private func made<Made: Sendable>(
    _ make: @escaping @Sendable (RecordingViews) throws(ViewError) -> Made
  ) async throws(PlaybackViewError) -> (made: Made, film: VersionFilm) {
    var isAgain = false
    while true {
      let film: VersionFilm
      do throws(MediaCacheError) { film = try await opened() } catch { throw PlaybackViewError(error) }
      do throws(ViewError) {
        return (try await held.disk.perform { () throws(ViewError) in try make(film.views) }, film)
      } catch {
        guard case .index = error, !isAgain else { throw PlaybackViewError(error) }
        isAgain = true
        await held.store.removeIndex(of: held)
        opening.withLock { $0 = nil }
      }
    }
  }
}
