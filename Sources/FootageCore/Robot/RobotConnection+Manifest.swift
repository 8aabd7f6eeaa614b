package import FootageAPI
internal import FootageSystem

/// The manifests that a robot signs for its recordings.
extension RobotConnection {
  /// The pause until the robot is asked again, if it does not state one.
  private static let pause = Duration.seconds(2)
  /// The longest pause, whatever the robot states.
  private static let longestPause = Duration.seconds(30)

  /// Asks for the manifest of a recording, once.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - version: the only acceptable version; nil for the one that the robot has.
  /// - Returns: the unverified manifest; or, while the robot is making it, the time to wait, if the robot states one.
  /// - Throws: `RobotError`: `.notFound` if there is no recording, or no manifest can be made for it; `.replaced`;
  ///   `.notSupported` if the robot is too old for manifests; `.malformed`.
  package func manifest(
    of name: String, _ version: RecordingVersion? = nil
  ) async throws(RobotError) -> ManifestReply {
    do throws(RobotError) { return try await requests.manifest(of: name, version) } catch {
      // A robot that is too old for manifests does not know the resource, and answers as for any unknown one.
      guard case .notFound(_, .notFound, _) = error, (try? await requests.once.recording(name)) != nil else {
        throw error
      }
      throw .notSupported("it does not sign manifests: update it")
    }
  }

  /// Requests the manifest of a recording repeatedly, until the robot has made it or the task is canceled.
  ///
  /// - Parameter onWait: called once, if the robot still has to make the manifest.
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

/// The proof that cached bytes are what the robot signed.
extension RobotConnection {
  /// Compares the cached bytes of a recording with the manifest that the robot signed. If the cache has no manifest
  /// yet, the robot is asked for it. The robot may have to make it first, which takes as long as reading the recording;
  /// this call waits, and canceling the task stops it. If the manifest is cached, no robot is needed.
  ///
  /// Manifests signed with earlier keys of the robot are valid, if this connection was created with its pairing or
  /// `earlierPins`.
  ///
  /// - Parameter name: as the robot lists it.
  /// - Returns: the same as `MediaCache.prove`. If the robot is too old for manifests, or cannot sign one, nothing is
  ///   proved: `signature` is `.none`.
  /// - Throws: `RobotError`: `.cache(.notCached)` if nothing of the recording is cached; the reason why the robot could
  ///   not be asked.
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

  /// All keys by which the robot is known.
  private var pins: [PublicKeyPin] { cacheNames.compactMap { PublicKeyPin($0) } }
}

/// A robot's answer to a request for a manifest.
package enum ManifestReply: Sendable {
  case ready(SignedManifest)
  /// The robot is making the manifest, and may say when to ask again.
  case beingMade(retryAfter: Duration?)
}

extension RobotRequests {
  /// The time that a robot may take to send a manifest: the one for half a terabyte has 96 MB.
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
          throw .malformed("the manifest of \(name) is invalid: \(error)")
        }
        let item = signed.manifest.item
        let isNoSlash = { (byte: UInt8) in byte != UInt8(ascii: "/") }
        // A server of many robots prefixes each recording's name with the robot's name.
        guard
          ExactName(item.name) == ExactName(name)
            || "/\(item.name)".utf8.elementsEqual(name.utf8.drop(while: isNoSlash))
        else {
          throw .malformed("the manifest of \(name) is for \(item.name)")
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
