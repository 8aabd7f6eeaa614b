internal import Synchronization

/// The content that players find below a token.
protocol ProxiedPlace: AnyObject, Sendable {
  var players: PlayerAccess { get }

  /// - Parameters:
  ///   - path: the percent-encoded path below the token, without the slash in between.
  ///   - query: the query without its `?`; nil if there is none.
  /// - Returns: nil if the entity tag of the content is invalid.
  func body(
    of path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) async throws(PlaybackViewError) -> PlaybackBody?
}

extension ProxiedPlace {
  /// Returns the link at which players find the place. The first call gives it a token.
  func linked() throws(MediaCacheError) -> any PlayerLink {
    try players.link.withLock { (link) throws(MediaCacheError) -> any PlayerLink in
      if let link { return link }
      let made: ProxyLink
      do throws(ProxyFailure) { made = try LoopbackProxy.shared().link(to: self) } catch {
        throw .proxy("\(error)")
      }
      link = made
      return made
    }
  }

  var letsOthersIn: Bool {
    get { players.isOpenToOthers.load(ordering: .relaxed) }
    set { players.isOpenToOthers.store(newValue, ordering: .relaxed) }
  }

  var isKeptFromOthers: Bool {
    !letsOthersIn && LoopbackProxy.areUsersKnown
  }
}

extension Playback: ProxiedPlace {
  func body(
    of path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) async throws(PlaybackViewError) -> PlaybackBody? {
    guard let view = try await view(path, query) else { return PlaybackBody(wholeOf: self) }
    return PlaybackBody(view, of: self)
  }
}

extension CameraPlayback: ProxiedPlace {
  func body(
    of path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) async throws(PlaybackViewError) -> PlaybackBody? {
    let (view, playback) = try await view(path, query)
    return PlaybackBody(view, of: playback)
  }
}
