/// One download from its beginning to its end, taken up where an earlier run has left it.

internal import Storage

struct Download: Sendable {
  private let requests: RobotRequests
  private let name: String
  private let path: String
  private let onProgress: @Sendable (DownloadProgress) -> Void

  init(
    _ requests: RobotRequests, _ name: String, to path: String,
    _ onProgress: @escaping @Sendable (DownloadProgress) -> Void
  ) {
    self.requests = requests
    self.name = name
    self.path = path
    self.onProgress = onProgress
  }

  func run() async throws(RobotError) -> DownloadedRecording {
    let file = try PartialFile(name, to: path)
    let earlier = try await file.open()
    let finished = earlier == nil ? await file.finishedVersion() : nil
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
    let now = Duration.nanoseconds(SystemClock.monotonicNanoseconds)
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
    let now = Duration.nanoseconds(SystemClock.monotonicNanoseconds)
    meter.add(byteCount, at: now)
    if meter.isReportDue(at: now) { onProgress(meter.progress(received: received, total: total, at: now)) }
  }
}
