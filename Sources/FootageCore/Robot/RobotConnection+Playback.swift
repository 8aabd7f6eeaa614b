internal import FootageAPI

extension RobotConnection {
  /// The time for the robot to report its version before an older cached version is opened.
  private static let patience = Duration.seconds(3)
  /// The time for the robot to report its version while a cached version is already playing.
  private static let longPatience = Duration.seconds(30)

  /// Opens a recording to be played while it is fetched: by any player at `Playback.playerURL()`, or by
  /// `Playback.reader`.
  ///
  /// Hold the playback for as long as a player uses it. Cached bytes are not fetched again.
  ///
  /// A cached recording opens at once, even if its robot cannot be reached; the robot is asked about it meanwhile. If
  /// the recording is gone, not ready or not allowed, or if the robot cannot be reached or another machine answers in
  /// its place, the playback's `state` shows it, and the cached bytes can be played. If the robot has a different
  /// version now, this playback continues with its own version, and the next one opens the robot's. If that cannot be
  /// fetched, an older version that is complete opens again.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError`. If nothing is cached: `.notFound` if the recording does not exist or is not ready;
  ///   `.trust`, `.identity`, `.notAllowed`, `.malformed`; `.unreachable`, after the retries. Also `.cache` and
  ///   `.cancelled`, in any case.
  public func playback(of name: String) async throws(RobotError) -> Playback {
    let cache = try cache.value()
    let key = await cache.key(of: name, on: cacheNames)
    let source = RobotRangeSource(requests: requests)
    switch await cache.opening(of: key) {
    case .new: return try await newPlayback(key, in: cache, from: source)
    case .cached:
      let held: CachedVersion
      do throws(MediaCacheError) { held = try await cache.openCached(key, from: source) } catch {
        // It disappeared in between, or its file cannot be read.
        return try await newPlayback(key, in: cache, from: source)
      }
      if let listed = await cache.listed(key, held.version) { requests.versionedURLs.learn(from: listed) }
      return Playback(holding: held, asking: asking(about: held, key, in: cache))
    case .replaced: return try await replacedPlayback(key, in: cache, from: source)
    }
  }

  /// Opens a recording exactly in the version that the robot listed, without asking the robot.
  ///
  /// Otherwise it works like `playback(of:)` with a name. If the list says that the recording cannot be played, the
  /// cached bytes are opened.
  ///
  /// - Parameter recording: from this robot's list.
  /// - Throws: `RobotError`: `.notFound` if the recording cannot be played and nothing of it is cached; `.malformed`;
  ///   `.cache`.
  public func playback(of recording: RobotRecording) async throws(RobotError) -> Playback {
    let cache = try cache.value()
    let key = await cache.key(of: recording.name, on: cacheNames)
    let source = RobotRangeSource(requests: requests)
    requests.versionedURLs.learn(from: recording)
    let version: RecordingVersion
    do throws(RobotError) { version = try Question.version(of: recording) } catch {
      guard let held = try? await cache.openCached(key, from: source) else { throw error }
      held.robotSaid(error)
      return Playback(holding: held)
    }
    return try await playback(key, version, recording.itemJSON, in: cache, from: source)
  }

  /// Opens the cached part of a recording. The robot is asked for nothing, not even for missing bytes. If the cache has
  /// two versions, the complete one is opened.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError.cache(.notCached)` if the cache has nothing of the recording.
  public func cachedPlayback(of name: String) async throws(RobotError) -> Playback {
    let cache = try cache.value()
    let key = await cache.key(of: name, on: cacheNames)
    do throws(MediaCacheError) { return try await cache.playback(of: key) } catch { throw .cache(error) }
  }

  /// Returns the cached bytes of a recording, unless the robot is known to have a different version; nil if there are
  /// none.
  func cachedPart(of name: String) async -> Playback? {
    guard let cache = cache.given else { return nil }
    let key = await cache.key(of: name, on: cacheNames)
    guard await cache.opening(of: key) == .cached else { return nil }
    return try? await cache.cachedPlayback(of: key, from: nil)
  }

  /// Opens a recording that is not cached. The response with the first bytes also states their version. The robot's
  /// description of the recording arrives while it plays.
  private func newPlayback(
    _ key: RecordingKey, in cache: MediaCache, from source: RobotRangeSource
  ) async throws(RobotError) -> Playback {
    let (version, primed) = try await source.beginning(of: key.name, byteCount: cache.limits.firstPieceBytes)
    let held: CachedVersion
    do throws(MediaCacheError) { held = try await cache.openServed(key, version, from: primed) } catch {
      throw .cache(error)
    }
    return Playback(holding: held, asking: asking(about: held, key, in: cache))
  }

  /// Asks the robot about a version while the version is played.
  private func asking(about held: CachedVersion, _ key: RecordingKey, in cache: MediaCache) -> Task<Void, Never> {
    let question = Question(key: key, requests: requests, cache: cache)
    return Task { await question.ask(about: held, within: Self.longPatience) }
  }

  /// Opens the version that replaced the cached one; or the cached one, if the robot cannot be asked now.
  private func replacedPlayback(
    _ key: RecordingKey, in cache: MediaCache, from source: RobotRangeSource
  ) async throws(RobotError) -> Playback {
    let question = Question(key: key, requests: requests, cache: cache)
    switch await question.answer(within: Self.patience) {
    case .success((let version, let recording)):
      return try await playback(key, version, recording.itemJSON, in: cache, from: source)
    case .failure(let error):
      guard !Task.isCancelled else { throw .cancelled }
      guard let held = try? await cache.openCached(key, from: source) else { throw error }
      held.robotSaid(error)
      return Playback(holding: held)
    }
  }

  private func playback(
    _ key: RecordingKey, _ version: RecordingVersion, _ item: String?, in cache: MediaCache,
    from source: RobotRangeSource
  ) async throws(RobotError) -> Playback {
    do throws(MediaCacheError) { return try await cache.playback(of: key, version, item: item, from: source) } catch {
      throw .cache(error)
    }
  }
}

/// A question to the robot: its current version of a recording.
private struct Question: Sendable {
  let key: RecordingKey
  let requests: RobotRequests
  let cache: MediaCache

  typealias Answer = Result<(RecordingVersion, RobotRecording), RobotError>

  /// Asks the robot, without retries.
  func answer(within limit: Duration) async -> Answer {
    let answer = await TimeLimit.result(within: limit) { [requests, key] () async -> Answer in
      do throws(RobotError) {
        let recording = try await requests.once.recording(key.name)
        return .success((try Self.version(of: recording), recording))
      } catch { return .failure(error) }
    }
    return answer ?? .failure(.unreachable("it has not answered for \(limit.components.seconds) seconds"))
  }

  /// Asks the robot about a version that is being played, and records the answer.
  func ask(about held: CachedVersion, within limit: Duration) async {
    let answer = await answer(within: limit)
    guard !Task.isCancelled else { return }
    switch answer {
    case .success((let version, let recording)):
      await cache.robotHas(version, key)
      if version == held.version, let item = recording.itemJSON { await cache.note(item, of: key, version) }
      held.robotSaid(version == held.version ? nil : .replaced(name: key.name))
      await takeManifest()
    case .failure(.cancelled): return
    case .failure(let error): held.robotSaid(error)
    }
  }

  /// Fetches the manifest for a version that is cached completely. The robot is asked once. If it has to make the
  /// manifest first, the next playback asks again. Robots that are too old for manifests never have one.
  private func takeManifest() async {
    guard let version = await cache.versionWithoutManifest(key, isWhole: true),
      case .ready(let signed) = try? await requests.once.manifest(of: key.name, version)
    else { return }
    await cache.keep(signed, of: key, version)
  }

  static func version(of recording: RobotRecording) throws(RobotError) -> RecordingVersion {
    let name = recording.name
    switch recording.state {
    case .ready: break
    case .recording:
      throw .notFound(
        name: name, code: .notReady,
        reason: "it is still being recorded: try again when the recorder has closed it")
    case .refused(let reason): throw .notFound(name: name, code: .refused, reason: reason)
    case .other(let state):
      throw .notFound(name: name, code: .notReady, reason: "the robot reports the state '\(state)'")
    }
    guard let tag = recording.entityTag else { throw .malformed("\(name) is ready, but has no ETag") }
    let version = RecordingVersion(tag: tag, length: recording.size)
    guard version.isBindable else { throw .malformed("\(name) has the ETag \(tag), which is not strong") }
    return version
  }
}
