internal import FootageBase
internal import FootageMedia
internal import Synchronization
internal import FootageSystem

/// A recording that is open: at a URL for any player, by readers, and to be kept.
///
/// Its version, and what is cached of it, stays for as long as a playback or a reader of it lives; nothing closes it
/// but letting go of it. It needs neither its ``RobotConnection`` nor its ``MediaCache`` to be held. Several playbacks
/// of a recording share what they fetch. All of it may be used from any task.
public final class Playback: Sendable {
  private let held: CachedVersion
  package let players = PlayerAccess()
  /// Its film, once that was asked for.
  let film: PlaybackFilm

  /// The robot is being asked what it has.
  private let question: Task<Void, Never>?

  /// - Parameters:
  ///   - version: already held for this object.
  ///   - question: about it, which ends with this object.
  init(holding version: CachedVersion, asking question: Task<Void, Never>? = nil) {
    held = version
    film = PlaybackFilm(of: version)
    self.question = question
  }

  deinit {
    question?.cancel()
    held.release()
  }

  /// What the cache knows the recording by: for `MediaCache.keep` and `MediaCache.remove`.
  public var key: RecordingKey { held.key }
  /// The bytes that are played. They stay the same even where the robot has others by now: then what is missing fails.
  public var version: RecordingVersion { held.version }

  /// Cached ranges, speed and trouble: as it is now, and whenever it has changed since, the newest alone; about four
  /// times a second while bytes come.
  ///
  /// Each stream is for one task. It does not keep this object alive, and ends some time after the last playback and
  /// reader of the recording have gone.
  public func states() -> AsyncStream<PlaybackState> { held.observe() }
  /// The same as it is now. Who asks has the recording's index looked for: seconds are there some moments after that.
  public var state: PlaybackState {
    held.wantTimeline()
    return held.currentState
  }

  /// How far it is fetched ahead of what players have read: a minute where nothing is said. It holds for all playbacks
  /// of the version together, and for what is played; a download and the like fetch all that they are to bring.
  public var readAhead: ReadAhead {
    get { held.readAhead }
    set { held.setReadAhead(newValue) }
  }

  /// Begins to read a range, which is fetched as far ahead as `readAhead` says.
  ///
  /// - Parameters:
  ///   - range: half-open, in bytes, within `0..<version.length`.
  ///   - use: what it is read for, which decides who goes first.
  /// - Throws: `.outside`.
  public func reader(of range: Range<UInt64>, for use: FetchPriority = .play) throws(MediaCacheError) -> PlaybackReader
  {
    guard range.upperBound <= version.length else { throw .outside(key, range, length: version.length) }
    return PlaybackReader(self, held, range, use)
  }

  /// What a target in this playback's own place shows.
  ///
  /// - Parameters:
  ///   - path: behind that place and its slash: `NAME.mp4`, `recordings/NAME.m3u8`, `hls/TAG/0.m4s`; percent-encoded.
  ///   - query: without its `?`; nil where there is none.
  /// - Returns: nil for the whole recording.
  package func view(
    _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) async throws(PlaybackViewError) -> PlaybackView? { try await film.view(path, query) }

  /// The window of a player that stands at a position.
  ///
  /// - Parameters:
  ///   - window: as it was.
  ///   - position: in seconds of the recording; what is no number is its beginning.
  package func feedWindow(_ window: FeedWindow, at position: Double) -> FeedWindow {
    guard let timeline = held.timeline, timeline.duration > 0 else { return window }
    let position = position.isFinite ? max(0, position) : 0
    var window = window
    window.bytesPerSecond = Double(version.length) / timeline.duration
    window.end =
      switch readAhead {
      case .all: .max
      case .seconds(let seconds): timeline.end(ofFirst: position + max(0, seconds))
      case .bytes(let count): timeline.end(ofFirst: position).addingClamped(count)
      }
    return window
  }

  /// Until it is looked again whether what was missing comes.
  func pauseAfterFailure() async { await held.clock.pause(for: held.limits.failurePause) }

  /// Returns when its film can be asked for.
  ///
  /// - Throws: `.refused` with `RobotError.notFound` where no film can be made of it, or with `.notSupported`.
  func openFilm() async throws(MediaCacheError) { _ = try await film.opened() }

  /// Whether its film's index is kept, and not all of what a file begins with is here.
  var isHereAsFilmAlone: Bool { get async { await held.isHereAsFilmAlone } }

  /// Returns when the first bytes are here, so that playing begins at once later on.
  ///
  /// - Parameter bytes: as many, or all there are.
  /// - Throws: as `PlaybackReader.read`; `.noRoom` where they cannot be kept.
  public func preload(bytes: UInt64) async throws(MediaCacheError) {
    try await have(0..<min(bytes, version.length), .preload, durably: false)
  }

  /// Returns when what the first seconds need is here: their bytes by the recording's own index, and that index.
  ///
  /// Without one that can be read, that is the whole recording.
  ///
  /// - Throws: as `PlaybackReader.read`; `.noRoom` where they cannot be kept.
  public func preload(seconds: Double) async throws(MediaCacheError) {
    while held.timeline == nil, !held.hasNoTimeline {
      if let needed = await held.findTimeline() {
        try await have(needed, .preload, durably: false)
      } else {
        // Another look is under way, or has just ended.
        guard !Task.isCancelled else { throw .cancelled }
        await held.clock.pause(for: .milliseconds(5))
      }
    }
    let end = held.timeline?.end(ofFirst: seconds) ?? version.length
    try await preload(bytes: end)
  }

  /// Returns when some time of the recording is here, so that its film plays there without the robot: a minute out of
  /// ten hours costs that minute, and the sample index once. The recording's own tables are not fetched.
  ///
  /// - Parameter seconds: from the recording's beginning on; what is beyond its end is left out. Whole segments come,
  ///   of some six seconds each.
  /// - Throws: as `PlaybackReader.read`; `.noRoom` where it cannot be kept; `.refused` with `RobotError.notSupported`
  ///   where no film can be made of it.
  public func preload(secondsOfFilm seconds: Range<Double>) async throws(MediaCacheError) {
    func milliseconds(_ seconds: Double) -> Int64 { Int64(max(0, min(seconds, Self.longest)) * 1_000) }
    let (start, end) = (milliseconds(seconds.lowerBound), milliseconds(seconds.upperBound))
    guard start < end else { return }
    let bytes: RangeSet
    do throws(PlaybackViewError) { bytes = try await film.bytes(of: start..<end) } catch {
      switch error {
      case .cache(let error): throw error
      case .robot(let error): throw .refused(key, error)
      case .absent(_, let words), .malformed(_, let words): throw .refused(key, .notSupported(words))
      }
    }
    for range in bytes.ranges { try await have(range, .preload, durably: false) }
  }

  /// Of a recording, in seconds: far beyond any.
  private static let longest = 1e9

  /// Fetches what is missing and returns when all of it is on disk for good. It goes on for as long as its task does:
  /// cancel that to stop; what has come stays.
  ///
  /// - Parameter onProgress: called about ten times a second while bytes come, and at the end, from any thread.
  /// - Throws: as `PlaybackReader.read`; `.noRoom` where it cannot be kept, or there is no cache.
  public func download(
    onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(MediaCacheError) {
    let report = DownloadReport(of: held, onProgress)
    do throws(MediaCacheError) { try await have(0..<version.length, .preload, durably: true) } catch {
      await report.end()
      throw error
    }
    await report.end()
  }

  /// Fetches what is missing while nobody plays or preloads it, and returns when all of it is on disk for good.
  ///
  /// - Parameter bytesPerSecond: at most; nil for as fast as it goes.
  /// - Throws: as `download`.
  public func fillHoles(bytesPerSecond: Double? = nil) async throws(MediaCacheError) {
    try await have(0..<version.length, .fill, durably: true, rate: bytesPerSecond)
  }

  private func have(
    _ range: Range<UInt64>, _ use: FetchPriority, durably: Bool, rate: Double? = nil
  ) async throws(MediaCacheError) {
    guard !range.isEmpty else { return }
    let id = held.addReader(use, range, fillRate: rate)
    defer { held.removeReader(id) }
    try await held.hold(id, durably: durably)
  }
}
