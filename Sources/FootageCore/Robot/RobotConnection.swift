package import FootageAPI
internal import FootageBase
package import FootageSystem

/// A connection to a robot that the app trusts. It lists, reads, plays and downloads the robot's recordings.
///
/// Creating a connection sends nothing. Network connections are opened when something is requested, kept for a minute
/// for the next request, and closed when this object and all playbacks that it opened are gone. All calls may be made
/// from any task, also several at once. Canceling a task ends its call promptly.
public final class RobotConnection: Sendable {
  /// The robot's address, as it was given.
  public let address: RobotAddress
  let requests: RobotRequests
  let cache: LazyCache
  /// The names by which the cache knows the robot; new recordings are stored under the first one.
  let cacheNames: [String]
  let eventSource: EventSource<RobotEvent>
  private let metricsSource = EventSource<RequestMetrics>()

  /// Creates a connection over a transport of the app's own, which decides which peer it trusts.
  ///
  /// - Parameters:
  ///   - address: the robot's address, for error messages and for the cache.
  ///   - transport: the transport for all requests.
  ///   - cache: the cache for recordings that are played; several robots may share one. With nil, nothing is kept.
  ///   - robotID: the robot's permanent identifier, such as its pin, by which the cache knows it at any address; nil
  ///     for the address.
  ///   - retrying: the policy for lists, reads and downloads. A playback retries by itself, for a minute.
  public convenience init(
    to address: RobotAddress, over transport: any MediaTransport, cache: MediaCache? = nil, robotID: String? = nil,
    retrying: RetryPolicy = RetryPolicy()
  ) {
    self.init(
      address, over: transport, cache: cache, cacheNames: [robotID ?? address.description], retrying: retrying)
  }

  /// - Parameters:
  ///   - cacheNames: the names by which the cache knows the robot; new recordings are stored under the first one.
  ///   - clock: the clock for the pauses of lists, reads and downloads; a playback uses its cache's clock.
  ///   - events: the source of events, to which the transport may already have sent some.
  ///   - onEvent: called from any thread with each event.
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

  /// Returns a stream of events that an app may show while calls are running: warnings, retries, and waiting downloads.
  ///
  /// Each stream delivers the events from now on. The first one begins with those that no listener has received yet. A
  /// stream is for one task, does not keep this object alive, and ends when this object and all playbacks that it
  /// opened are gone.
  public func events() -> AsyncStream<RobotEvent> { eventSource.events() }

  /// Returns a stream with the result of each request from now on: its time to answer, its bytes, and its outcome.
  ///
  /// Each stream is for one task, and ends when this object and all playbacks that it opened are gone.
  public func metrics() -> AsyncStream<RequestMetrics> { metricsSource.events() }

  /// Calls `handler` for each event, on the thread on which it occurs, before the work that caused it continues.
  package func onEvent(_ handler: @escaping @Sendable (RobotEvent) -> Void) { eventSource.onEvent(handler) }

  /// Returns the recordings, newest first, fetched page by page as they are requested. If the robot cannot be reached
  /// and there is a cache, they are those that the robot listed last.
  ///
  /// - Parameters:
  ///   - camera: only the recordings of this camera; nil for all.
  ///   - since: only those that began at this moment or later.
  ///   - until: only those that began before this moment.
  ///   - state: only those in this state; nil for all, including those that cannot be played.
  ///   - lasting: only those that last at least this many seconds; nil or 0 for all, including those without a known
  ///     length.
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

  /// Returns the recordings that a query selects, newest first, in pages of the length that apps use.
  package func recordings(of query: ListQuery) -> RecordingSequence {
    var query = query
    query.limit = RecordingSequence.pageLength
    return RecordingSequence(
      requests: requests, query: query, memory: cache.given.map { ListMemory(cache: $0, robots: cacheNames) })
  }

  /// Returns one recording, as it is now.
  ///
  /// - Throws: `RobotError`; `.notFound` if there is no recording of this name.
  public func recording(_ name: String) async throws(RobotError) -> RobotRecording {
    try await requests.recording(name)
  }

  /// Returns a range of a recording's bytes, without the cache. An interrupted transfer continues where it stopped.
  /// Bytes of two versions are never mixed.
  ///
  /// Nothing is sent before the first chunk is requested. Each iteration sends a new request.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - range: half-open, in bytes; nil for everything. It is limited to the recording's length.
  ///   - entityTag: the wanted version, strong and with its quotes; nil for the current one. If the robot has a
  ///     different version now, `.replaced` is thrown.
  public func read(
    _ name: String, range: Range<UInt64>? = nil, version entityTag: String? = nil
  ) -> RecordingBytes {
    RecordingBytes(
      fetch: RangeFetch(
        requests, .recording(name), range ?? 0..<UInt64.max, tag: entityTag, replacement: .fails))
  }

  /// Fetches a recording into a file. The file appears under its name when it is complete, and replaces any file of
  /// that name. If the cache has bytes of the robot's current version, they are copied from there; the rest is fetched
  /// from the robot and not cached.
  ///
  /// Bytes that an earlier call has fetched, even in a process that was killed, are not fetched again while the robot
  /// has the same version. They are stored as `FILE.part`, beside a small map that reveals damaged bytes, which are
  /// fetched again. If the file is already complete, the robot is only asked for the recording's version. This works if
  /// the file system could record the file's version, and the file has not been changed since.
  ///
  /// If the robot cannot be reached, the download waits until the task is canceled, or as `RetryPolicy.downloads`
  /// specifies. `RobotEvent.waiting` and `RobotEvent.back` report this.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - path: the path of the file, in a folder that exists. Do not make it from an unchecked `name`, which came over
  ///     the network.
  ///   - onProgress: called about ten times a second while bytes arrive, and at the end, from any thread.
  /// - Returns: the recording that the file now holds.
  /// - Throws: `RobotError`; the partial file then stays for the next call, except for bytes of an invalid response.
  ///   `.file` if the file cannot be written, or another process is fetching into it; `.cancelled` with the task.
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
