/// A robot, as an app has to do with it: its recordings, listed, read and kept.

/// Connections are made when they are needed, kept, and end with this object.
public final class RobotConnection: Sendable {
  public let address: RobotAddress
  let requests: RobotRequests
  let cache: LazyCache
  /// What the cache knows the robot by; the first one for what is new.
  let cacheNames: [String]

  /// A robot behind a pinned connection. Nothing is sent yet.
  ///
  /// - Parameters:
  ///   - address: `robot.local:8443`; see `RobotAddress`.
  ///   - policy: who is the robot.
  ///   - identity: shown to a robot that asks for it, and to nobody else.
  ///   - cache: for what is played; several robots may share one. Nil keeps nothing.
  ///   - onEvent: told what a person may want to know, from any thread.
  /// - Throws: `RobotError`: `.address`, `.identity`, `.system`.
  public convenience init(
    to address: String, trusting policy: TrustPolicy, as identity: IdentitySource? = nil,
    cache: MediaCache? = nil, retrying: RetryPolicy = RetryPolicy(),
    onEvent: @escaping @Sendable (RobotEvent) -> Void = { _ in }
  ) throws(RobotError) {
    guard let parsed = RobotAddress(address) else { throw .address(address) }
    let transport = try OpenSSLTransport(to: parsed, trusting: policy, as: identity) { onEvent(.warning($0)) }
    self.init(
      parsed, over: transport, cache: cache, cacheNames: policy.pins.map { CacheName.of($0, parsed) },
      retrying: retrying, onEvent: onEvent)
  }

  /// A robot behind a transport of the app's own.
  ///
  /// - Parameters:
  ///   - robot: what tells the robot from others for good, whatever its address: its pin, say. The cache knows it by that;
  ///     nil for the address.
  public convenience init(
    _ address: RobotAddress, over transport: any MediaTransport, cache: MediaCache? = nil, known robot: String? = nil,
    retrying: RetryPolicy = RetryPolicy(), onEvent: @escaping @Sendable (RobotEvent) -> Void = { _ in }
  ) {
    self.init(
      address, over: transport, cache: cache, cacheNames: [robot ?? address.description], retrying: retrying,
      onEvent: onEvent)
  }

  init(
    _ address: RobotAddress, over transport: any MediaTransport, cache: MediaCache?, cacheNames: [String],
    retrying: RetryPolicy, onEvent: @escaping @Sendable (RobotEvent) -> Void
  ) {
    self.address = address
    self.cache = LazyCache(cache)
    self.cacheNames = cacheNames
    requests = RobotRequests(transport: transport, policy: retrying, onEvent: onEvent)
  }

  /// The recordings, newest first, fetched page by page as they are asked for.
  ///
  /// - Parameters:
  ///   - since: those that began at this second or later.
  ///   - until: those that began before this second.
  public func recordings(
    camera: String? = nil, since: UnixTime? = nil, until: UnixTime? = nil, state: RecordingFilter? = nil
  ) -> RecordingSequence {
    RecordingSequence(
      requests: requests,
      query: RecordingSequence.Query(camera: camera, since: since, until: until, state: state))
  }

  /// One recording, as it is now.
  ///
  /// - Throws: `RobotError`, `.notFound` where there is none of this name.
  public func recording(_ name: String) async throws(RobotError) -> RobotRecording {
    try await requests.recording(name)
  }

  /// A range of a recording's bytes. What breaks off is taken up where it was; bytes of two versions never meet.
  ///
  /// - Parameters:
  ///   - range: half-open; nil for everything. An end behind the recording's is the recording's.
  ///   - entityTag: the version that is wanted, strong; nil for the one that is there.
  public func read(_ name: String, _ range: Range<UInt64>? = nil, of entityTag: String? = nil) -> RecordingBytes {
    RecordingBytes(
      fetch: RangeFetch(requests, name, range ?? 0..<UInt64.max, tag: entityTag, replacement: .fails))
  }

  /// Fetches a recording into a file, which appears under its name when it is whole, in place of what had it.
  ///
  /// What was fetched before, by this process or one that was killed, is not fetched again while the robot has the same
  /// version: it waits as `FILE.part`, with a small map beside it. A file that is whole already is only asked about,
  /// where the file system could note which version it is and nobody has changed it since.
  ///
  /// - Parameters:
  ///   - path: of the file.
  ///   - onProgress: called about ten times a second, and at the end.
  /// - Throws: `RobotError`; then the partial file waits for the next call, unless what came made no sense.
  @discardableResult
  public func download(
    _ name: String, to path: String, onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(RobotError) -> DownloadedRecording {
    try await Download(requests, name, to: path, onProgress).run()
  }
}
