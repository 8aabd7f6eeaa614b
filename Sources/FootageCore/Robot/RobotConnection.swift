package import FootageAPI
internal import FootageBase
package import FootageSystem

/// A robot that the app trusts: lists, reads, plays and downloads its recordings.
///
/// Making one sends nothing. Connections are opened when something is asked for, kept for a minute for what is asked
/// next, and closed when this object and all playbacks that it opened have gone. All calls may be made from any task,
/// and several at once; cancelling a task ends its call promptly.
public final class RobotConnection: Sendable {
  /// Where it is, as it was given.
  public let address: RobotAddress
  let requests: RobotRequests
  let cache: LazyCache
  /// What the cache knows the robot by; the first one for what is new.
  let cacheNames: [String]
  let eventSource: EventSource<RobotEvent>
  private let metricsSource = EventSource<RequestMetrics>()

  /// A robot behind a transport of the app's own, which knows whom it trusts.
  ///
  /// - Parameters:
  ///   - address: for the words of failures, and for the cache.
  ///   - transport: by which all requests go.
  ///   - cache: for what is played; several robots may share one. Nil keeps nothing.
  ///   - robotID: what tells the robot from others for good, whatever its address: its pin, say. The cache knows it by
  ///     that; nil for the address.
  ///   - retrying: for lists, reads and downloads. A playback tries again by itself, for a minute.
  public convenience init(
    to address: RobotAddress, over transport: any MediaTransport, cache: MediaCache? = nil, robotID: String? = nil,
    retrying: RetryPolicy = RetryPolicy()
  ) {
    self.init(
      address, over: transport, cache: cache, cacheNames: [robotID ?? address.description], retrying: retrying)
  }

  /// - Parameters:
  ///   - cacheNames: what the cache knows the robot by; the first one for what is new.
  ///   - clock: by which lists, reads and downloads wait; a playback has its cache's.
  ///   - events: to which the transport may have told something already.
  ///   - onEvent: told what a person may want to know, from any thread.
  package init(
    _ address: RobotAddress, over transport: any MediaTransport, cache: MediaCache?, cacheNames: [String],
    retrying: RetryPolicy, clock: Clock = .system, events: EventSource<RobotEvent> = EventSource(),
    onEvent: (@Sendable (RobotEvent) -> Void)? = nil
  ) {
    self.address = address
    self.cache = LazyCache(cache)
    self.cacheNames = cacheNames
    eventSource = events
    if let onEvent { events.onEvent(onEvent) }
    requests = RobotRequests(
      transport: MeasuredTransport(transport, clock, telling: metricsSource), policy: retrying,
      onEvent: { events.send($0) }, clock: clock)
  }

  /// What a person may want to know while calls go on: warnings, that something is tried again, that a download waits.
  ///
  /// Each stream has what happens from now on; the first one has, before that, what nobody has heard. It is for one
  /// task, does not keep this object alive, and ends when this object and all playbacks that it opened have gone.
  public func events() -> AsyncStream<RobotEvent> { eventSource.events() }

  /// What becomes of each request from now on: its time to answer, its bytes, and how it ended.
  ///
  /// Each stream is for one task, and ends when this object and all playbacks that it opened have gone.
  public func metrics() -> AsyncStream<RequestMetrics> { metricsSource.events() }

  /// Calls `handler` for each event, on whatever thread it happens, before what caused it goes on.
  package func onEvent(_ handler: @escaping @Sendable (RobotEvent) -> Void) { eventSource.onEvent(handler) }

  /// The recordings, newest first, fetched page by page as they are asked for. While the robot is away, what it listed
  /// last, where there is a cache.
  ///
  /// - Parameters:
  ///   - camera: those of this camera, the first folder of their names; nil for all.
  ///   - since: those that began at this moment or later.
  ///   - until: those that began before this moment.
  ///   - state: those in this state; nil for all, which includes those that cannot be played.
  ///   - lasting: those that last at least so long, in seconds; nil or 0 for all, which includes those without a length.
  public func recordings(
    camera: String? = nil, since: UnixTime? = nil, until: UnixTime? = nil, state: RecordingFilter? = nil,
    lasting: Double? = nil
  ) -> RecordingSequence {
    recordings(
      of: ListQuery(
        camera: camera, since: since.map { UnixTimestamp($0) }, until: until.map { UnixTimestamp($0) },
        state: state.flatMap { ListQuery.StateFilter(rawValue: $0.rawValue) },
        lasting: lasting.flatMap { $0 > 0 ? DecimalSeconds(max($0, 1e-6)) : nil }))
  }

  /// The recordings that are meant, newest first, on pages of the length that an app asks for.
  package func recordings(of query: ListQuery) -> RecordingSequence {
    var query = query
    query.limit = RecordingSequence.pageLength
    return RecordingSequence(
      requests: requests, query: query, memory: cache.given.map { ListMemory(cache: $0, robots: cacheNames) })
  }

  /// One recording, as it is now.
  ///
  /// - Throws: `RobotError`, `.notFound` where there is none of this name.
  public func recording(_ name: String) async throws(RobotError) -> RobotRecording {
    try await requests.recording(name)
  }

  /// A range of a recording's bytes, past the cache. What breaks off is taken up where it was; bytes of two versions
  /// never meet.
  ///
  /// Nothing is sent before the first chunk is asked for. Each iteration asks anew.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - range: half-open, in bytes; nil for everything. An end behind the recording's is the recording's.
  ///   - entityTag: the version that is wanted, strong, quotes included; nil for the one that is there. Where the robot
  ///     has another one by now, `.replaced` is thrown.
  public func read(
    _ name: String, range: Range<UInt64>? = nil, version entityTag: String? = nil
  ) -> RecordingBytes {
    RecordingBytes(
      fetch: RangeFetch(
        requests, .recording(name), range ?? 0..<UInt64.max, tag: entityTag, replacement: .fails))
  }

  /// Fetches a recording into a file. The file appears under its name when it is whole, in place of what had it. What
  /// the cache has of the version that the robot has now is copied from there; the rest is fetched past the cache.
  ///
  /// What was fetched before, by this process or one that was killed, is not fetched again while the robot has the same
  /// version: it waits as `FILE.part`, with a small map beside it, by which damage to it is found and fetched again. A
  /// file that is whole already is only asked about, where the file system could note which version it is and nobody
  /// has changed it since.
  ///
  /// A robot that is away is waited for, until the task is cancelled or as `RetryPolicy.downloads` says;
  /// `RobotEvent.waiting` and `RobotEvent.back` tell of it.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - path: of the file, in a folder that exists. Not to be made from `name` as it is, which came over the network.
  ///   - onProgress: called about ten times a second while bytes come, and at the end, from any thread.
  /// - Returns: what the file holds now.
  /// - Throws: `RobotError`; then the partial file waits for the next call, unless what came made no sense. `.file`
  ///   where the file cannot be written, or another process fetches into it; `.cancelled` with the task.
  @discardableResult
  public func download(
    _ name: String, to path: String, onProgress: @escaping @Sendable (DownloadProgress) -> Void = { _ in }
  ) async throws(RobotError) -> DownloadedRecording {
    if let copied = try await copyFromCache(name, to: path, in: cache.given) {
      onProgress(
        DownloadProgress(received: copied.length, total: copied.length, bytesPerSecond: 0, remaining: .zero))
      return copied
    }
    return try await Download(
      requests, .recording(name), to: path, cached: await cachedPart(of: name), onProgress
    ).run()
  }
}
