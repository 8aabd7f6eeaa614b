internal import FootageAPI

extension RobotConnection {
  /// The time that the robot may take to report its version while an older cached version could play.
  private static let patience = Duration.seconds(3)
  /// The time that the robot may take while something is already playing.
  private static let longPatience = Duration.seconds(30)

  /// Opens a recording to be played while it is fetched: by any player at `Playback.playerURL()`, or by
  /// `Playback.reader`.
  ///
  /// Hold the playback for as long as something plays from it. What is already in the cache is not fetched again.
  ///
  /// A cached recording opens at once, whatever happened to the robot, which is asked in the meantime. If the recording
  /// is gone, not ready or not allowed, or if the robot is away or another machine answers in its place, the playback's
  /// `state` shows it, and what is cached plays. If the robot has a different version now, this playback continues with
  /// its own version, and the next one opens the robot's. If that cannot be fetched, an older version that is complete
  /// opens again.
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

  /// Opens what the cache has of a recording, and asks the robot for nothing, not even for missing bytes. If the cache
  /// has two versions, it opens the complete one.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError.cache(.notCached)` if the cache has nothing.
  public func cachedPlayback(of name: String) async throws(RobotError) -> Playback {
    let cache = try cache.value()
    let key = await cache.key(of: name, on: cacheNames)
    do throws(MediaCacheError) { return try await cache.playback(of: key) } catch { throw .cache(error) }
  }

  /// Returns the cached bytes of a recording, if they are of the robot's version as far as is known; nil if there are
  /// none.
  func cachedPart(of name: String) async -> Playback? {
    guard let cache = cache.given else { return nil }
    let key = await cache.key(of: name, on: cacheNames)
    guard await cache.opening(of: key) == .cached else { return nil }
    return try? await cache.cachedPlayback(of: key, from: nil)
  }

  /// Opens a recording that is not cached. The answer with the first bytes also says which version they belong to. The
  /// robot's listing of it arrives while it plays.
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

  /// Asks the robot about a version while that plays.
  private func asking(about held: CachedVersion, _ key: RecordingKey, in cache: MediaCache) -> Task<Void, Never> {
    let question = Question(key: key, requests: requests, cache: cache)
    return Task { await question.ask(about: held, within: Self.longPatience) }
  }

  /// Opens the version that replaced the cached one; the cached one if the robot cannot be asked now.
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

/// A question to the robot about the version that it has under a name now.
private struct Question: Sendable {
  let key: RecordingKey
  let requests: RobotRequests
  let cache: MediaCache

  typealias Answer = Result<(RecordingVersion, RobotRecording), RobotError>

  /// Asks once.
  func answer(within limit: Duration) async -> Answer {
    let answer = await TimeLimit.result(within: limit) { [requests, key] () async -> Answer in
      do throws(RobotError) {
        let recording = try await requests.once.recording(key.name)
        return .success((try Self.version(of: recording), recording))
      } catch { return .failure(error) }
    }
    return answer ?? .failure(.unreachable("it has not answered for \(limit.components.seconds) seconds"))
  }

  /// Asks while a version plays, and records the result.
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
  /// manifest first, the next playback asks again; robots that are too old for manifests have none.
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
      throw .notFound(name: name, code: .notReady, reason: "the robot says that it is '\(state)'")
    }
    guard let tag = recording.entityTag else { throw .malformed("\(name) is ready, and has no etag") }
    let version = RecordingVersion(tag: tag, length: recording.size)
    guard version.isBindable else { throw .malformed("\(name) has the etag \(tag), which is not a strong one") }
    return version
  }
}
