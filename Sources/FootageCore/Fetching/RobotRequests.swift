internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// Requests to one robot, tried again for as long as it makes sense.
struct RobotRequests: Sendable {
  let transport: any MediaTransport
  let policy: RetryPolicy
  let onEvent: @Sendable (RobotEvent) -> Void
  var patience = DocumentPatience.standard
  /// By which it is waited.
  var clock = Clock.system
  /// Learnt from whatever it lists, for all requests to it.
  var versionedURLs = VersionedURLs()

  /// Of a document that is read whole, in bytes.
  private static let documentLimit = 4 << 20

  /// Sends one request, once.
  ///
  /// - Parameter name: what is asked for, for the words of a failure.
  /// - Returns: an answer of one of these statuses.
  func attempt(_ request: MediaRequest, name: String, accepting: Set<Int>) async throws(Attempt) -> MediaResponse {
    let response: MediaResponse
    do throws(TransportFailure) { response = try await transport.open(request) } catch {
      throw Attempt(RobotError(error))
    }
    guard accepting.contains(response.status) else {
      throw Attempt(await Problem.error(of: response, name: name), retryAfter: response.retryAfter)
    }
    return response
  }

  /// Asks for a range of a recording, once; by its version's own URL where there is such a thing.
  ///
  /// - Parameters:
  ///   - isOnNewConnection: whether it goes over a connection that is made for it.
  ///   - limit: how long making a connection may take; nil for the transport's own limits.
  /// - Returns: an answer with bytes, not looked at yet.
  func attempt(
    _ question: RangeRequest, isOnNewConnection: Bool = false, connectingWithin limit: Duration? = nil
  ) async throws(Attempt) -> MediaResponse {
    var request = question.request(isVersioned: versionedURLs.areKnown)
    request.isOnNewConnection = isOnNewConnection
    request.connectionTimeout = limit
    do throws(Attempt) { return try await attempt(request, name: question.name, accepting: [200, 206]) } catch {
      // There is a recording of that name, and it is not this version: what `If-Range` says by sending all of it.
      guard case .notFound(let name, .gone, _) = error.error else { throw error }
      throw Attempt(.replaced(name: name))
    }
  }

  /// A document of the robot's, read as JSON: within seconds, or not at all.
  ///
  /// - Parameters:
  ///   - name: what is asked for, for the words of a failure.
  ///   - waiting: how long the robot was asked to wait for news before it answers; it has that much longer.
  func json(
    _ target: String, name: String, waiting: Duration = .zero
  ) async throws(RobotError) -> JSONValue {
    let document = try await answered(MediaRequest(target), name: name, accepting: [200], waiting: waiting) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      return try await Self.document(response, limit: Self.documentLimit)
    }
    guard let json = JSONValue(document) else { throw .malformed("\(name) is no JSON") }
    return json
  }

  /// An answer of one of these statuses, and what is taken of it: within seconds, or not at all.
  func answered<Value: Sendable>(
    _ request: MediaRequest, name: String, accepting: Set<Int>, waiting: Duration = .zero,
    _ take: @escaping @Sendable (MediaResponse) async throws(RobotError) -> Value
  ) async throws(RobotError) -> Value {
    let whole = patience.whole + waiting
    let clock = clock
    let answer = try await TimeLimit.result(within: whole, sleep: clock.pause) { () async throws(RobotError) in
      try await trying(request, name, accepting, within: whole, waiting, take)
    }
    guard let answer else {
      throw Task.isCancelled ? .cancelled : .unreachable("\(name) was not whole after \(whole.components.seconds) s")
    }
    return answer
  }

  /// RetrySchedule again while the robot may yet be reached, or may yet have time; what goes on then is for the caller
  /// to end.
  private func trying<Value: Sendable>(
    _ request: MediaRequest, _ name: String, _ accepting: Set<Int>, within whole: Duration, _ waiting: Duration,
    _ take: (MediaResponse) async throws(RobotError) -> Value
  ) async throws(RobotError) -> Value {
    let end = clock.uptime + whole
    // Nobody has answered since.
    var start = clock.uptime
    var schedule = RetrySchedule(policy)
    while true {
      do throws(Attempt) {
        let reaching = patience.reaching - (clock.uptime - start)
        let response = try await answer(to: request, name, accepting, reaching: reaching, waiting)
        if let event = schedule.answered(at: clock.uptime) { onEvent(event) }
        do throws(RobotError) { return try await take(response) } catch { throw Attempt(error) }
      } catch {
        guard let next = schedule.next(after: error, at: clock.uptime) else { throw error.error }
        if case .unavailable = error.error { start = clock.uptime }
        let latest = if case .unavailable = error.error { end } else { min(end, start + patience.reaching) }
        guard clock.uptime + next.pause < latest else { throw error.error }
        try await pause(next)
      }
    }
  }

  /// Asks once. Where the robot says nothing for a while it is asked once more over a new connection: the one
  /// that was kept may lead to a robot that is off, which only making another one tells. The first answer counts.
  private func answer(
    to request: MediaRequest, _ name: String, _ accepting: Set<Int>, reaching: Duration, _ waiting: Duration
  ) async throws(Attempt) -> MediaResponse {
    var request = request
    request.connectionTimeout = reaching
    var rival = request
    rival.isOnNewConnection = true
    rival.connectionTimeout = max(reaching - patience.silence, patience.silence / 10)
    let silence = patience.silence + waiting
    let first = await withTaskGroup(of: Result<MediaResponse, Attempt>?.self) { [request, rival] group in
      group.addTask { await outcome(of: request, name, accepting) }
      group.addTask {
        // Cancelled, there is nothing to be a rival of: the first one has been answered.
        do { try await clock.sleep(for: silence) } catch { return nil }
        return await outcome(of: rival, name, accepting)
      }
      defer { group.cancelAll() }
      // The rival ends first where it fails, too: then nobody is there any more to answer the other one.
      for await ended in group { if let ended { return ended } }
      return .failure(Attempt(.cancelled))
    }
    return try first.get()
  }

  private func outcome(
    of request: MediaRequest, _ name: String, _ accepting: Set<Int>
  ) async -> Result<MediaResponse, Attempt> {
    do throws(Attempt) { return .success(try await attempt(request, name: name, accepting: accepting)) } catch {
      return .failure(error)
    }
  }

  /// One recording, as it is now.
  func recording(_ name: String) async throws(RobotError) -> RobotRecording {
    let json = try await json(Resource.recording(name: name, .details).target, name: name)
    guard let recording = RobotRecording(json) else { throw .malformed("\(name) lacks what all recordings have") }
    versionedURLs.learn(from: recording)
    return recording
  }

  /// The same, for a caller that has no time to try again.
  var once: RobotRequests {
    RobotRequests(
      transport: transport, policy: RetryPolicy(retries: 0), onEvent: onEvent, patience: patience, clock: clock,
      versionedURLs: versionedURLs)
  }

  /// A failed try.
  struct Attempt: Error {
    let error: RobotError
    let retryAfter: Duration?

    init(_ error: RobotError, retryAfter: Duration? = nil) {
      self.error = error
      self.retryAfter = retryAfter
    }
  }

  /// Waits before the next try, and tells of it.
  ///
  /// - Throws: `RobotError.cancelled`.
  func pause(_ next: RetrySchedule.Next) async throws(RobotError) {
    if let event = next.event { onEvent(event) }
    do { try await clock.sleep(for: next.pause) } catch { throw .cancelled }
  }

  /// - Throws: `RobotError.malformed` where it is larger than the limit.
  static func document(_ response: MediaResponse, limit: Int) async throws(RobotError) -> [UInt8] {
    do throws(TransportFailure) { return try await response.body.document(limit: limit) } catch {
      throw RobotError(error)
    }
  }
}

extension MediaBody {
  /// All of it.
  ///
  /// - Throws: `TransportFailure.final` where it is larger than the limit.
  func document(limit: Int) async throws(TransportFailure) -> [UInt8] {
    var document: [UInt8] = []
    while let bytes = try await next() {
      guard bytes.count <= limit - document.count else { throw .final("a document of more than \(limit) bytes") }
      document += bytes
    }
    return document
  }
}
