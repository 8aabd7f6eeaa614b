internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The requests to one robot, with their retries.
struct RobotRequests: Sendable {
  let transport: any MediaTransport
  let policy: RetryPolicy
  let onEvent: @Sendable (RobotEvent) -> Void
  var patience = DocumentPatience.standard
  /// The clock for all waiting.
  var clock = Clock.system
  /// The record of whether the robot has URLs for versions. It is learned from the robot's lists, and shared by all
  /// requests to it.
  var versionedURLs = VersionedURLs()

  /// The largest size in bytes of a document that is read completely.
  private static let documentLimit = 4 << 20

  /// Sends one request, once.
  ///
  /// - Parameter name: the name of the requested resource, for messages.
  /// - Returns: an answer whose status is in `accepting`.
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

  /// Asks for a range of a recording, once. The request uses the version's own URL if the robot has such URLs.
  ///
  /// - Parameters:
  ///   - isOnNewConnection: true if the request goes over a connection that is made for it.
  ///   - limit: how long making a connection may take; nil for the transport's own limits.
  /// - Returns: an answer with bytes that has not been checked yet.
  func attempt(
    _ question: RangeRequest, isOnNewConnection: Bool = false, connectingWithin limit: Duration? = nil
  ) async throws(Attempt) -> MediaResponse {
    var request = question.request(isVersioned: versionedURLs.areKnown)
    request.isOnNewConnection = isOnNewConnection
    request.connectionTimeout = limit
    do throws(Attempt) { return try await attempt(request, name: question.name, accepting: [200, 206]) } catch {
      // The robot has a recording of that name, but not this version. `If-Range` says the same by sending all of it.
      guard case .notFound(let name, .gone, _) = error.error else { throw error }
      throw Attempt(.replaced(name: name))
    }
  }

  /// Returns a document of the robot's, read as JSON, within seconds or not at all.
  ///
  /// - Parameters:
  ///   - name: the name of the requested resource, for messages.
  ///   - waiting: how long the robot was asked to wait for a change before it answers. The time limit of the request is
  ///     longer by this time.
  func json(
    _ target: String, name: String, waiting: Duration = .zero
  ) async throws(RobotError) -> JSONValue {
    let document = try await answered(MediaRequest(target), name: name, accepting: [200], waiting: waiting) {
      (response: MediaResponse) async throws(RobotError) in
      try response.checkEncoding(name)
      return try await Self.document(response, limit: Self.documentLimit)
    }
    guard let json = JSONValue(document) else { throw .malformed("\(name) is not valid JSON") }
    return json
  }

  /// Returns the result of `take` for an answer whose status is in `accepting`, within seconds or not at all.
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
      throw Task.isCancelled ? .cancelled : .unreachable("\(name) was not complete after \(whole.components.seconds) s")
    }
    return answer
  }

  /// Retries while there may be time to reach the robot, or for the robot to answer. The caller ends an attempt that
  /// takes longer.
  private func trying<Value: Sendable>(
    _ request: MediaRequest, _ name: String, _ accepting: Set<Int>, within whole: Duration, _ waiting: Duration,
    _ take: (MediaResponse) async throws(RobotError) -> Value
  ) async throws(RobotError) -> Value {
    let end = clock.uptime + whole
    // The time since which the robot has not answered.
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

  /// Sends the request. If the robot is silent for a while, the request is sent once more over a new connection,
  /// because the existing connection may lead to a robot that has been switched off. The first answer counts.
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
        // If this is cancelled, the first request has been answered and needs no rival.
        do { try await clock.sleep(for: silence) } catch { return nil }
        return await outcome(of: rival, name, accepting)
      }
      defer { group.cancelAll() }
      // A rival that fails also ends the wait, since then there is no robot to answer the first request.
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

  /// Returns one recording, as it is now.
  func recording(_ name: String) async throws(RobotError) -> RobotRecording {
    let json = try await json(Resource.recording(name: name, .details).target, name: name)
    guard let recording = RobotRecording(json) else { throw .malformed("\(name) lacks required fields") }
    versionedURLs.learn(from: recording)
    return recording
  }

  /// A copy that does not retry, for a caller that cannot wait.
  var once: RobotRequests {
    RobotRequests(
      transport: transport, policy: RetryPolicy(retries: 0), onEvent: onEvent, patience: patience, clock: clock,
      versionedURLs: versionedURLs)
  }

  /// A failed attempt.
  struct Attempt: Error {
    let error: RobotError
    let retryAfter: Duration?

    init(_ error: RobotError, retryAfter: Duration? = nil) {
      self.error = error
      self.retryAfter = retryAfter
    }
  }

  /// Reports the next attempt, and waits before it.
  ///
  /// - Throws: `RobotError.cancelled`.
  func pause(_ next: RetrySchedule.Next) async throws(RobotError) {
    if let event = next.event { onEvent(event) }
    do { try await clock.sleep(for: next.pause) } catch { throw .cancelled }
  }

  /// - Throws: `RobotError.malformed` if the document is larger than the limit.
  static func document(_ response: MediaResponse, limit: Int) async throws(RobotError) -> [UInt8] {
    do throws(TransportFailure) { return try await response.body.document(limit: limit) } catch {
      throw RobotError(error)
    }
  }
}

extension MediaBody {
  /// Returns all of the body.
  ///
  /// - Throws: `TransportFailure.final` if the body is larger than the limit.
  func document(limit: Int) async throws(TransportFailure) -> [UInt8] {
    var document: [UInt8] = []
    while let bytes = try await next() {
      guard bytes.count <= limit - document.count else { throw .final("the document has more than \(limit) bytes") }
      document += bytes
    }
    return document
  }
}
