/// Playing a robot's recordings, with the robot or without it.

extension RobotConnection {
  /// How long the robot may take to say what it has, while the cache could play without it.
  private static let patience = Duration.seconds(3)

  /// Opens a recording to be played while it is fetched: at `Playback.url` by any player, or by `Playback.reader`.
  ///
  /// Hold the playback for as long as something plays from it. What the cache has of it is not fetched again. Where the
  /// robot cannot be reached within three seconds, the version that was played last is opened, and what it lacks comes
  /// when the robot is there again. Where somebody else answers in its place (another network, say) that is an error, cached
  /// or not: `cachedPlayback` asks nobody.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError`: `.notFound` where it is not there, or not ready; `.trust`, `.identity`, `.notAllowed`,
  ///   `.malformed`; `.unreachable`, after the retries, where nothing of it is cached; `.cache`.
  public func playback(of name: String) async throws(RobotError) -> Playback {
    let cache = try cache.value()
    let key = await cache.key(of: name, on: cacheNames)
    let source = RobotFragments(requests: requests)
    guard let cached = try? await cache.cachedPlayback(of: key, from: source) else {
      return try await playback(key, try await version(of: name), in: cache, from: source)
    }
    let outcome = await Patience.result(within: Self.patience) { [requests] () async -> Result<_, RobotError> in
      do throws(RobotError) { return .success(try await Self.version(of: name, by: requests.once)) } catch {
        return .failure(error)
      }
    }
    switch outcome {
    case .success(let version): return try await playback(key, version, in: cache, from: source)
    case .failure(let error) where !error.canPass: throw error
    case .failure, nil:
      guard !Task.isCancelled else { throw .cancelled }
      return cached
    }
  }

  /// Opens what the cache has of a recording, and asks the robot for nothing, not even for what is missing.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError.cache(.notCached)` where it has nothing.
  public func cachedPlayback(of name: String) async throws(RobotError) -> Playback {
    let cache = try cache.value()
    let key = await cache.key(of: name, on: cacheNames)
    do throws(MediaCacheError) { return try await cache.playback(of: key) } catch { throw .cache(error) }
  }

  private func playback(
    _ key: RecordingKey, _ version: RecordingVersion, in cache: MediaCache, from source: RobotFragments
  ) async throws(RobotError) -> Playback {
    do throws(MediaCacheError) { return try await cache.playback(of: key, version, from: source) } catch {
      throw .cache(error)
    }
  }

  private func version(of name: String) async throws(RobotError) -> RecordingVersion {
    try await Self.version(of: name, by: requests)
  }

  /// What the robot has under a name now.
  private static func version(of name: String, by requests: RobotRequests) async throws(RobotError) -> RecordingVersion
  {
    let recording = try await requests.recording(name)
    switch recording.state {
    case .ready: break
    case .recording:
      throw .notFound(name, code: "not-ready", "it is still being recorded: try again when the recorder has closed it")
    case .refused(let reason): throw .notFound(name, code: "refused", reason)
    case .other(let state): throw .notFound(name, code: "not-ready", "the robot says that it is '\(state)'")
    }
    guard let tag = recording.entityTag else { throw .malformed("\(name) is ready, and has no etag") }
    return RecordingVersion(tag: tag, length: recording.size)
  }
}
