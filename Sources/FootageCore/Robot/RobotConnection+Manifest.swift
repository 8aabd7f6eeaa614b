package import FootageAPI
internal import FootageSystem

/// What a robot signs of its recordings.
extension RobotConnection {
  /// How soon it is asked again where it does not say.
  private static let pause = Duration.seconds(2)
  /// At most, whatever it says.
  private static let longestPause = Duration.seconds(30)

  /// Asks for the manifest of a recording, once.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - version: which alone will do; nil for the one that the robot has.
  /// - Returns: nothing of it is verified yet; nil while the robot makes it, with how long to wait.
  /// - Throws: `RobotError`: `.notFound` where there is no recording, or no manifest can be made of it; `.replaced`;
  ///   `.notSupported` where the robot is older than manifests; `.malformed`.
  package func manifest(
    of name: String, _ version: RecordingVersion? = nil
  ) async throws(RobotError) -> ManifestReply {
    do throws(RobotError) { return try await requests.manifest(of: name, version) } catch {
      // Robots before manifests know no such resource, and say of it what they say of every other.
      guard case .notFound(_, .notFound, _) = error, (try? await requests.once.recording(name)) != nil else {
        throw error
      }
      throw .notSupported("it signs no manifests: update it")
    }
  }

  /// The same, after the robot has made it: asks again and again until then, or until the task is cancelled.
  ///
  /// - Parameter onWait: called once, when it turns out that it has to be made.
  package func manifest(
    of name: String, _ version: RecordingVersion? = nil, onWait: @Sendable () -> Void
  ) async throws(RobotError) -> SignedManifest {
    var hasWaited = false
    while true {
      switch try await manifest(of: name, version) {
      case .ready(let manifest): return manifest
      case .beingMade(let retryAfter):
        if !hasWaited { onWait() }
        hasWaited = true
        let pause = min(max(retryAfter ?? Self.pause, .milliseconds(100)), Self.longestPause)
        do { try await requests.clock.sleep(for: pause) } catch { throw .cancelled }
      }
    }
  }
}

/// Proving what is cached.
extension RobotConnection {
  /// Compares what is cached of a recording with what the robot has signed of it. The robot is asked for its manifest
  /// where that is not here yet, and waited for where it has to make it, which takes it as long as reading the recording:
  /// cancel the task to stop. Where it is here, no robot is needed.
  ///
  /// Manifests under earlier keys of the robot count, where it was made with its pairing or `earlierPins`.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Returns: as `MediaCache.prove`; a robot that is older than manifests, or cannot sign one, has proved nothing:
  ///   its `signature` is `.none`.
  /// - Throws: `RobotError`: `.cache(.notCached)` where nothing of it is cached; why the robot could not be asked.
  public func prove(_ name: String) async throws(RobotError) -> MediaCache.Proof {
    let cache = try cache.value()
    let key = await cache.key(of: name, on: cacheNames)
    if let version = await cache.versionWithoutManifest(key, isWhole: false) {
      do throws(RobotError) {
        await cache.keep(try await manifest(of: name, version) {}, of: key, version)
      } catch {
        switch error {
        case .notSupported, .notFound, .replaced: break
        default: throw error
        }
      }
    }
    do throws(MediaCacheError) { return try await cache.prove(key, by: pins) } catch { throw .cache(error) }
  }

  /// All keys that the robot is known by.
  private var pins: [PublicKeyPin] { cacheNames.compactMap { PublicKeyPin($0) } }
}

/// What a robot answers that is asked for a manifest.
package enum ManifestReply: Sendable {
  case ready(SignedManifest)
  /// It is made; the robot may say when to ask again.
  case beingMade(retryAfter: Duration?)
}

extension RobotRequests {
  /// How long a robot may take to send a manifest: that of half a terabyte has 96 MB.
  private static let manifestPatience = Duration.seconds(120)

  func manifest(of name: String, _ version: RecordingVersion?) async throws(RobotError) -> ManifestReply {
    let tag = version.map { VersionTag(entityTag: $0.tag) }
    var requests = self
    requests.patience.whole = Self.manifestPatience
    let target = Resource.recording(name: name, .manifest(version: tag)).target
    do throws(RobotError) {
      return try await requests.answered(MediaRequest(target), name: name, accepting: [200, 202]) {
        (response: MediaResponse) async throws(RobotError) in
        try response.checkEncoding(name)
        guard response.status == 200 else { return .beingMade(retryAfter: response.retryAfter) }
        let bytes = try await RobotRequests.document(response, limit: ManifestLimits.bytes)
        let signed: SignedManifest
        do throws(ManifestError) { signed = try SignedManifest(bytes) } catch {
          throw .malformed("the manifest of \(name) cannot be used: \(error)")
        }
        let item = signed.manifest.item
        let isNoSlash = { (byte: UInt8) in byte != UInt8(ascii: "/") }
        // A server of many robots has each by the robot's name before its own.
        guard
          ExactName(item.name) == ExactName(name)
            || "/\(item.name)".utf8.elementsEqual(name.utf8.drop(while: isNoSlash))
        else {
          throw .malformed("the manifest of \(name) is that of \(item.name)")
        }
        if let version, item.entityTag != version.tag || item.size != version.length { throw .replaced(name: name) }
        return .ready(signed)
      }
    } catch {
      switch error {
      case .notFound(_, .gone, _): throw .replaced(name: name)
      default: throw error
      }
    }
  }
}
