internal import FootageAPI

extension RobotConnection {
  /// How long the robot may take to say what it has, where an older version could play without it.
  private static let patience = Duration.seconds(3)
  /// How long it may take where something plays meanwhile.
  private static let longPatience = Duration.seconds(30)

  /// Opens a recording to be played while it is fetched: at `Playback.playerURL()` by any player, or by `Playback.reader`.
  ///
  /// Hold the playback for as long as something plays from it. What the cache has of it is not fetched again.
  ///
  /// What is cached opens at once, whatever became of the robot, and the robot is asked meanwhile: gone, not ready, not
  /// allowed, away or somebody else in its place shows in the playback's `state`, and what is cached plays. Where the
  /// robot has another version by now, this playback goes on with its own, and the next one opens the robot's; if that
  /// cannot be had, the older one that is complete opens again.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError`; where nothing of it is cached: `.notFound` where it is not there, or not ready; `.trust`,
  ///   `.identity`, `.notAllowed`, `.malformed`; `.unreachable`, after the retries. `.cache`, `.cancelled`.
  public func playback(of name: String) async throws(RobotError) -> Playback {
    let cache = try cache.value()
    let key = await cache.key(of: name, on: cacheNames)
    let source = RobotRangeSource(requests: requests)
    switch await cache.opening(of: key) {
    case .new: return try await newPlayback(key, in: cache, from: source)
    case .cached:
      let held: CachedVersion
      do throws(MediaCacheError) { held = try await cache.openCached(key, from: source) } catch {
        // It went in between, or its file cannot be read.
        return try await newPlayback(key, in: cache, from: source)
      }
      if let listed = await cache.listed(key, held.version) { requests.versionedURLs.learn(from: listed) }
      return Playback(holding: held, asking: asking(about: held, key, in: cache))
    case .replaced: return try await replacedPlayback(key, in: cache, from: source)
    }
  }

  /// Opens a recording as the robot listed it, without a question: this very version.
  ///
  /// As `playback(of:)` with a name otherwise. Where the list says that it cannot be played, what is cached of it is
  /// opened.
  ///
  /// - Parameter recording: of this robot's list.
  /// - Throws: `RobotError`: `.notFound` where it cannot be played and nothing of it is cached; `.malformed`; `.cache`.
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

  /// Opens what the cache has of a recording, and asks the robot for nothing, not even for what is missing. Where it
  /// has two versions, the one that is complete.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Throws: `RobotError.cache(.notCached)` where it has nothing.
  public func cachedPlayback(of name: String) async throws(RobotError) -> Playback {
    let cache = try cache.value()
    let key = await cache.key(of: name, on: cacheNames)
    do throws(MediaCacheError) { return try await cache.playback(of: key) } catch { throw .cache(error) }
  }

  /// What the cache has of a recording, as the robot has it for all that anybody has heard; nil where that is nothing.
  func cachedPart(of name: String) async -> Playback? {
    guard let cache = cache.given else { return nil }
    let key = await cache.key(of: name, on: cacheNames)
    guard await cache.opening(of: key) == .cached else { return nil }
    return try? await cache.cachedPlayback(of: key, from: nil)
  }

  /// Opens what is not cached. The answer that brings the first bytes says which version they are of; what the robot
  /// lists of it comes while it plays.
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

  /// Asks the robot about what plays meanwhile.
  private func asking(about held: CachedVersion, _ key: RecordingKey, in cache: MediaCache) -> Task<Void, Never> {
    let question = Question(key: key, requests: requests, cache: cache)
    return Task { await question.ask(about: held, within: Self.longPatience) }
  }

  /// Opens the version that took the place of what is cached; where the robot cannot say so now, what is cached.
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

/// What the robot has under a name now.
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

  /// Asks while a version plays, and notes what comes of it.
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

  /// What is here whole gets what the robot has signed of it. It is asked once: where it has to make that first, the
  /// next playback asks again, and robots without manifests have nothing of the kind.
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
