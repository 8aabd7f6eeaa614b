/// One download from its beginning to its end, taken up where an earlier run has left it.

internal import Storage
internal import System

struct Download: Sendable {
  private let requests: RobotRequests
  private let name: String
  private let path: String
  /// What the cache has of it.
  private let cached: Playback?
  private let onProgress: @Sendable (DownloadProgress) -> Void

  init(
    _ requests: RobotRequests, _ name: String, to path: String, cached: Playback? = nil,
    _ onProgress: @escaping @Sendable (DownloadProgress) -> Void
  ) {
    self.requests = requests
    self.name = name
    self.path = path
    self.cached = cached
    self.onProgress = onProgress
  }

  func run() async throws(RobotError) -> DownloadedRecording {
    let file = try PartialFile(name, to: path)
    var earlier = try await file.open()
    if let left = earlier, !left.damaged.isEmpty { earlier = try await mended(left, file) }
    let finished = earlier == nil ? await file.finishedVersion() : nil
    if earlier == nil, finished == nil { earlier = try await copied(into: file) }
    // The last byte is fetched again, so that the robot says whether the version is still its own.
    let start = earlier.map { min($0.received, max($0.version.length, 1) - 1) } ?? max(finished?.length ?? 0, 1) - 1
    var fetch = RangeFetch(
      requests, name, start..<UInt64.max, version: start > 0 ? earlier?.version ?? finished : nil,
      replacement: .startsOver, waiting: requests.policy.downloads)
    var isThere = start > 0 && finished != nil
    do throws(RobotError) {
      try await transfer(&fetch, into: file, from: start, &isThere)
      if isThere { try await file.leave(received: 0) } else { try await file.finish() }
    } catch {
      // An answer that turned out to be a lie is void from its first byte on; one that broke off is not.
      let isVoid =
        switch error {
        case .shortBody, .malformed, .unexpected: true
        default: false
        }
      let received = isThere ? 0 : isVoid ? min(fetch.answerStart, fetch.written) : fetch.written
      // What is left behind is a favour: the error itself is what counts.
      try? await file.leave(received: received)
      throw error
    }
    guard let version = fetch.version else { throw .malformed("\(name) came without a version") }
    return DownloadedRecording(name: name, entityTag: version.tag, length: version.length, wasThere: isThere)
  }

  /// Fetches what is damaged of what an earlier run has left.
  ///
  /// - Returns: nil where it is of no use: the robot has another version by now, say.
  private func mended(_ left: PartialFile.Earlier, _ file: PartialFile) async throws(RobotError) -> PartialFile.Earlier?
  {
    for range in left.damaged {
      var fetch = RangeFetch(
        requests, name, range, version: left.version, replacement: .fails,
        waiting: requests.policy.downloads)
      var position = range.lowerBound
      do throws(RobotError) {
        while let step = try await fetch.next() {
          guard case .bytes(let bytes) = step else { continue }
          try await file.mend(bytes, at: position)
          position += UInt64(bytes.count)
        }
      } catch {
        switch error {
        case .replaced, .malformed, .shortBody, .outOfRange: return nil
        default: throw error
        }
      }
    }
    guard try await file.isMended() else { return nil }
    return PartialFile.Earlier(version: left.version, received: left.received, damaged: [])
  }

  /// Copies the first bytes of what the cache has. The robot says afterwards whether that version still is its own.
  ///
  /// - Returns: nil where it has none.
  private func copied(into file: PartialFile) async throws(RobotError) -> PartialFile.Earlier? {
    guard let cached, let end = cached.state.cachedBytes.first(where: { $0.lowerBound == 0 })?.upperBound,
      let reader = try? cached.reader(of: 0..<end, for: .preload)
    else { return nil }
    try await file.begin(cached.version)
    var meter = TransferMeter()
    var position: UInt64 = 0
    while position < end, let bytes = try? await reader.read(at: position, count: 1 << 18) {
      try await file.write(bytes, at: position)
      position += UInt64(bytes.count)
      report(&meter, bytes.count, position, cached.version.length)
    }
    guard !Task.isCancelled else { throw .cancelled }
    return position > 0 ? PartialFile.Earlier(version: cached.version, received: position, damaged: []) : nil
  }

  /// Receives the next bytes while the last ones are written.
  ///
  /// - Parameter isThere: whether all of it is there under its name, so that nothing is to be written; no longer where
  ///   the robot has another version by now.
  private func transfer(
    _ fetch: inout RangeFetch, into file: PartialFile, from start: UInt64, _ isThere: inout Bool
  ) async throws(RobotError) {
    var meter = TransferMeter()
    var position = start
    var step = try await fetch.next()
    while let current = step {
      switch current {
      case .version(let version):
        if start == 0 { try await file.begin(version) }
        step = try await fetch.next()
      case .startedOver(let version):
        isThere = false
        try await file.begin(version)
        position = 0
        fetch.written = 0
        step = try await fetch.next()
      case .bytes(let bytes) where isThere:
        position += UInt64(bytes.count)
        step = try await fetch.next()
      case .bytes(let bytes):
        // Where writing fails, the robot is waited for no longer: leaving this scope cancels it.
        async let receiving = Self.next(after: fetch)
        try await file.write(bytes, at: position)
        position += UInt64(bytes.count)
        report(&meter, bytes.count, position, fetch.version?.length ?? position)
        let received = await receiving
        fetch = received.fetch
        fetch.written = position
        step = try received.step.get()
      }
    }
    let now = Duration.nanoseconds(Clock.system.uptimeNanoseconds)
    onProgress(meter.progress(received: position, total: fetch.version?.length ?? position, at: now))
  }

  private struct Received: Sendable {
    let fetch: RangeFetch
    let step: Result<RangeFetch.Step?, RobotError>
  }

  private static func next(after fetch: RangeFetch) async -> Received {
    var fetch = fetch
    do throws(RobotError) {
      let step = try await fetch.next()
      return Received(fetch: fetch, step: .success(step))
    } catch { return Received(fetch: fetch, step: .failure(error)) }
  }

  private func report(_ meter: inout TransferMeter, _ byteCount: Int, _ received: UInt64, _ total: UInt64) {
    let now = Duration.nanoseconds(Clock.system.uptimeNanoseconds)
    meter.add(byteCount, at: now)
    if meter.isReportDue(at: now) { onProgress(meter.progress(received: received, total: total, at: now)) }
  }
}
