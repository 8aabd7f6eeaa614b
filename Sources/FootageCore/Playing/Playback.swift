internal import FootageBase
internal import FootageMedia
internal import Synchronization
internal import FootageSystem

/// An open recording. Any player can play it at a URL, a reader can read it, and the cache can keep it.
///
/// Its version, with the cached bytes, stays open for as long as a playback or a reader of it exists. Release all of
/// them to close it. Neither its ``RobotConnection`` nor its ``MediaCache`` has to be held. Several playbacks of a
/// recording share the bytes that they fetch. All of it may be used from any task.
public final class Playback: Sendable {
  private let held: CachedVersion
  package let players = PlayerAccess()
  /// The film of the recording, which is opened when it is first needed.
  let film: PlaybackFilm

  /// The task that asks the robot which version it has.
  private let question: Task<Void, Never>?

  /// - Parameters:
  ///   - version: the version, already held for this object.
  ///   - question: the task that asks the robot about it, which ends with this object.
  init(holding version: CachedVersion, asking question: Task<Void, Never>? = nil) {
    held = version
    film = PlaybackFilm(of: version)
    self.question = question
  }

  deinit {
    question?.cancel()
    held.release()
  }

  /// The key by which the cache knows the recording, for `MediaCache.keep` and `MediaCache.remove`.
  public var key: RecordingKey { held.key }
  /// The version that is played. It stays the same even if the robot has another one now, in which case missing bytes
  /// cannot be fetched.
  public var version: RecordingVersion { held.version }

  /// Returns a stream of states with the cached ranges, the speed and any trouble. It begins with the current state.
  /// After changes it delivers only the newest state, about four times a second while bytes arrive.
  ///
  /// Each stream is for one task. It does not keep this object alive, and ends some time after the last playback and
  /// reader of the recording have been released.
  public func states() -> AsyncStream<PlaybackState> { held.observe() }
  /// The current state. Reading it starts a search for the recording's index, so that the times in seconds are known
  /// soon.
  public var state: PlaybackState {
    held.wantTimeline()
    return held.currentState
  }

  /// The distance that the recording is fetched ahead of the bytes that players have read; a minute unless it is set.
  /// It applies to all playbacks of the version together, but only to playing. Downloads and preloads fetch all bytes
  /// that they need.
  public var readAhead: ReadAhead {
    get { held.readAhead }
    set { held.setReadAhead(newValue) }
  }

  /// Begins to read a range, which is fetched ahead by `readAhead`.
  ///
  /// - Parameters:
  ///   - range: half-open, in bytes, within `0..<version.length`.
  ///   - use: the purpose of the reader, which decides whose bytes come first.
  /// - Throws: `.outside`.
  public func reader(of range: Range<UInt64>, for use: FetchPriority = .play) throws(MediaCacheError) -> PlaybackReader
  {
    guard range.upperBound <= version.length else { throw .outside(key, range, length: version.length) }
    return PlaybackReader(self, held, range, use)
  }

  /// Returns the view at a target below this playback's URL.
  ///
  /// - Parameters:
  ///   - path: the percent-encoded path below the playback's URL, without the slash in between: `NAME.mp4`,
  ///     `recordings/NAME.m3u8`, `hls/KEY/0.m4s`.
  ///   - query: the query without its `?`; nil if there is none.
  /// - Returns: nil for the whole recording.
  package func view(
    _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) async throws(PlaybackViewError) -> PlaybackView? { try await film.view(path, query) }

  /// Returns a part of the film.
  ///
  /// - Parameter tag: the only acceptable version.
  func view(_ part: FilmPart, ofVersion tag: VersionTag) async throws(PlaybackViewError) -> PlaybackView {
    try await film.view(part, ofVersion: tag)
  }

  /// Returns the feed window of a player at a position.
  ///
  /// - Parameters:
  ///   - window: the window until now.
  ///   - position: in seconds of the recording; a value that is not finite counts as the beginning.
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

  /// Waits before missing bytes are tried again.
  func pauseAfterFailure() async { await held.clock.pause(for: held.limits.failurePause) }

  /// Opens the film, and returns when its views can be requested.
  ///
  /// - Throws: `.refused` with `RobotError.notFound` if no film can be made of it, or with `.notSupported`.
  func openFilm() async throws(MediaCacheError) { _ = try await film.opened() }

  /// True if the index of the film is kept, but the head of the file is not completely cached.
  var isHereAsFilmAlone: Bool { get async { await held.isHereAsFilmAlone } }

  /// Fetches the first bytes, and returns when they are cached, so that playing begins at once later.
  ///
  /// - Parameter bytes: the number of bytes; a recording with fewer bytes is fetched completely.
  /// - Throws: the errors of `PlaybackReader.read`; `.noRoom` if they cannot be kept.
  public func preload(bytes: UInt64) async throws(MediaCacheError) {
    try await have(0..<min(bytes, version.length), .preload, durably: false)
  }

  /// Fetches the bytes that the first seconds need, and returns when they are cached. They consist of the recording's
  /// own index, and of the bytes that this index lists for those seconds.
  ///
  /// Without a readable index, the whole recording is fetched.
  ///
  /// - Throws: the errors of `PlaybackReader.read`; `.noRoom` if the bytes cannot be kept.
  public func preload(seconds: Double) async throws(MediaCacheError) {
    while held.timeline == nil, !held.hasNoTimeline {
      if let needed = await held.findTimeline() {
        try await have(needed, .preload, durably: false)
      } else {
        // Another search is under way, or has just ended.
        guard !Task.isCancelled else { throw .cancelled }
        await held.clock.pause(for: .milliseconds(5))
      }
    }
    let end = held.timeline?.end(ofFirst: seconds) ?? version.length
    try await preload(bytes: end)
  }

  /// Fetches a range of time of the recording, and returns when its film plays there without the robot. A minute out of
  /// ten hours costs that minute, and the sample index once. The recording's own tables are not fetched.
  ///
  /// - Parameter seconds: the time from the recording's beginning on; any time after its end is left out. Whole
  ///   segments are fetched, of about six seconds each.
  /// - Throws: the errors of `PlaybackReader.read`; `.noRoom` if the bytes cannot be kept; `.refused` with
  ///   `RobotError.notSupported` if no film can be made of the recording.
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

  /// The longest time of a recording in seconds, far more than any recording has.
  private static let longest = 1e9

  /// Fetches the missing bytes, and returns when all of the recording is durably on disk. To stop it, cancel the task:
  /// the bytes that have arrived stay.
  ///
  /// - Parameter onProgress: called about ten times a second while bytes arrive, and at the end, from any thread.
  /// - Throws: the errors of `PlaybackReader.read`; `.noRoom` if the bytes cannot be kept, or there is no cache.
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

  /// Fetches the missing bytes while no reader plays or preloads the recording, and returns when all of it is durably
  /// on disk.
  ///
  /// - Parameter bytesPerSecond: the largest speed; nil for as fast as possible.
  /// - Throws: the errors of `download`.
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
