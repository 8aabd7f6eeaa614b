internal import Synchronization
internal import FootageSystem

/// A robot as a source for the cache: ranges of versions, with one request for each. This type never retries.
struct RobotRangeSource: RangeSource {
  let requests: RobotRequests
  private let warming: ConnectionWarming

  init(requests: RobotRequests) {
    self.requests = requests
    warming = ConnectionWarming(requests.transport, requests.clock)
  }

  func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    try await open(range, of: key, version, isOnNewConnection: false)
  }

  func openAnew(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion
  ) async throws(FetchFailure) -> any RangeStream {
    try await open(range, of: key, version, isOnNewConnection: true)
  }

  /// Requests the first bytes of a recording of which nothing is known. The response states the version.
  ///
  /// - Throws: `RobotError`, after the retries.
  func beginning(
    of name: String, byteCount: UInt64
  ) async throws(RobotError) -> (RecordingVersion, PrimedRangeSource) {
    let question = RangeRequest(subject: .recording(name), range: 0..<byteCount, version: nil, boundTag: nil)
    warming.warm(after: .zero)
    let (body, range, version) = try await requests.answered(
      question.request(isVersioned: false), name: name, accepting: [200, 206]
    ) { (response: MediaResponse) async throws(RobotError) in
      let (range, version) = try Self.range(of: response, to: question)
      return (RangeBody(response, of: name, range), range, version)
    }
    guard version.isBindable else { throw .malformed("\(name) has the ETag \(version.tag), which is not strong") }
    warming.warm(after: .zero)
    return (version, PrimedRangeSource(self, body, range, for: Self.patience, clock: requests.clock))
  }

  /// The time that the first bytes wait for a player. Meanwhile they occupy one of the few connections.
  private static let patience = Duration.seconds(10)

  private func open(
    _ range: Range<UInt64>, of key: RecordingKey, _ version: RecordingVersion, isOnNewConnection: Bool
  ) async throws(FetchFailure) -> any RangeStream {
    let question = RangeRequest(subject: .recording(key.name), range: range, version: version, boundTag: nil)
    let start = requests.clock.uptime
    let response: MediaResponse
    do throws(RobotRequests.Attempt) {
      response = try await requests.attempt(question, isOnNewConnection: isOnNewConnection)
    } catch { throw FetchFailure(error.error) }
    do throws(RobotError) { _ = try Self.range(of: response, to: question) } catch { throw FetchFailure(error) }
    warming.warm(after: (requests.clock.uptime - start) * 4)
    return RangeBody(response, of: key.name, range)
  }

  /// Returns the range that the response holds, and the version that it belongs to.
  private static func range(
    of response: MediaResponse, to question: RangeRequest
  ) throws(RobotError) -> (Range<UInt64>, RecordingVersion) {
    switch try RangeResponse(response, to: question) {
    case .part(let range, let version): return (range, version)
    case .whole(let version): throw question.error(for: version)
    }
  }
}

/// The preparation of connections for seeks. One connection should always be idle, so that a seek does not wait for a
/// handshake. Connections that are still being opened are abandoned with this object.
private final class ConnectionWarming: Sendable {
  private let transport: any MediaTransport
  private let clock: Clock
  private let tasks = Mutex<[UInt64: Task<Void, Never>]>([:])

  private static let longest = Duration.seconds(2)

  init(_ transport: any MediaTransport, _ clock: Clock) {
    self.transport = transport
    self.clock = clock
  }

  deinit { for task in tasks.withLock({ $0.values }) { task.cancel() } }

  /// - Parameter pause: the time to wait first. Connections that still deliver earlier responses become idle a few
  ///   round trips later.
  func warm(after pause: Duration) {
    tasks.withLock { tasks in
      let number = (tasks.keys.max() ?? 0) + 1
      tasks[number] = Task { [transport, clock, weak self] in
        await clock.pause(for: min(pause, Self.longest))
        guard !Task.isCancelled else { return }
        await transport.prepare()
        self?.tasks.withLock { $0[number] = nil }
      }
    }
  }
}

extension FetchFailure {
  init(_ error: RobotError) {
    switch error {
    case .unreachable, .localNetworkDenied, .unavailable, .cancelled: self = .passing(error)
    case .shortBody: self = .passing(.endedEarly)
    case .notFound, .replaced, .outOfRange: self = .replaced(error)
    default: self = .final(error)
    }
  }
}
