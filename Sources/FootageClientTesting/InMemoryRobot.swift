public import FootageCore
internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import Synchronization
internal import FootageSystem

/// A robot in memory, for previews and tests. It lists, serves, cuts and describes its recordings as a robot does, and
/// produces the faults that a test sets.
///
/// All of it may be used from any task. Recordings that are added, replaced or removed take effect with the next
/// request.
public final class InMemoryRobot: MediaTransport {
  /// The requests that a fault applies to.
  public enum Requests: Hashable, Sendable {
    /// The next request of any kind.
    case any
    /// Requests that are not for media, such as those for lists, timelines and the description of a recording.
    case documents
    /// Requests for bytes of recordings, and of the views that are made from them.
    case media

    func include(_ request: MediaRequest) -> Bool {
      switch self {
      case .any: true
      case .documents: !Self.isMedia(request)
      case .media: Self.isMedia(request)
      }
    }

    private static func isMedia(_ request: MediaRequest) -> Bool {
      let path = request.target.prefix { $0 != "?" }
      return [".mp4", ".m4s", ".index"].contains { path.hasSuffix($0) }
    }
  }

  private struct State {
    var library: MemoryLibrary
    var faults: [(requests: Requests, fault: RobotFault)] = []
    var lasting: [(requests: Requests, fault: RobotFault)] = []
    var requests: [MediaRequest] = []
    var sentBytes = 0
  }

  /// The clock for the robot's delays, and for the pauses of its connections between attempts; nil for the machine's.
  public let clock: TestClock?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - recordings: the recordings that the robot has.
  ///   - name: the name that people use for the robot.
  ///   - zone: the robot's time zone, by its name in the time zone database.
  ///   - clock: the clock of the robot and its connections; nil for the machine's.
  public init(
    _ recordings: [SampleRecording] = [], name: String = "robot", zone: String? = "Etc/UTC", clock: TestClock? = nil
  ) {
    self.clock = clock
    let robot = RobotDescription(name: name, zone: zone, version: "in-memory")
    state = Mutex(State(library: MemoryLibrary(robot: robot)))
    for recording in recordings { add(recording) }
  }

  /// The pin of the key that the robot would have.
  public static let pin = PublicKeyPin("sha256/\(String(repeating: "A", count: 43))=")

  // MARK: Recordings

  /// The names of the robot's recordings in the order of lists: the newest first.
  public var names: [String] { state.withLock { $0.library.recordings.map(\.item.name) } }

  /// Adds a recording. It replaces the recording with the same name, as a different version.
  public func add(_ recording: SampleRecording) { state.withLock { $0.library.add(recording) } }

  /// Removes a recording, as a robot does to make room.
  public func remove(_ name: String) { state.withLock { $0.library.remove(name) } }

  /// The most recordings on a page of the list: 200 unless it is set.
  public var pageLength: Int {
    get { state.withLock { $0.library.pageLength } }
    set { state.withLock { $0.library.pageLength = max(1, newValue) } }
  }

  // MARK: Faults

  /// Makes the next requests of a kind fail, with one fault each, in this order.
  public func fail(_ requests: Requests = .any, with faults: RobotFault...) {
    state.withLock { state in state.faults += faults.map { (requests, $0) } }
  }

  /// Makes all requests of a kind fail from now on with this fault; nil makes them succeed again. A fault that `fail`
  /// has set for a request comes first.
  public func failAll(_ requests: Requests = .any, with fault: RobotFault?) {
    state.withLock { state in
      state.lasting.removeAll { $0.requests == requests }
      if let fault { state.lasting.append((requests, fault)) }
    }
  }

  /// True while the robot can be reached. Setting it replaces the lasting fault of ``Requests/any``; faults that are
  /// set with `fail` still come first.
  public var isReachable: Bool {
    get { state.withLock { !$0.lasting.contains { $0.requests == .any && $0.fault == .unreachable } } }
    set { failAll(with: newValue ? nil : .unreachable) }
  }

  // MARK: Received requests

  /// The requests so far, in order.
  public var requests: [MediaRequest] { state.withLock { $0.requests } }
  /// The number of bytes sent in all bodies.
  public var sentBytes: Int { state.withLock { $0.sentBytes } }

  // MARK: Connections

  /// Creates a connection to the robot.
  ///
  /// - Parameters:
  ///   - cache: the cache for recordings as they are played; nil keeps nothing.
  ///   - retrying: the policy for lists, reads and downloads; nil never retries and never waits.
  public func connection(cache: MediaCache? = nil, retrying: RetryPolicy? = nil) -> RobotConnection {
    RobotConnection(
      RobotAddress(host: "robot.test"), over: self, cache: cache, cacheNames: [Self.pin?.description ?? "robot.test"],
      retrying: retrying ?? RetryPolicy(retries: 0, downloads: .retries), clock: clock?.clock ?? .system)
  }

  /// Answers a request as ``MediaTransport`` requires.
  public func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    guard !Task.isCancelled else { throw .cancelled }
    let fault = state.withLock { state -> RobotFault? in
      state.requests.append(request)
      guard let index = state.faults.firstIndex(where: { $0.requests.include(request) }) else {
        return state.lasting.last { $0.requests.include(request) }?.fault
      }
      return state.faults.remove(at: index).fault
    }
    switch fault {
    case .unreachable: throw .passing("connection refused")
    case .localNetworkDenied: throw .localNetworkDenied
    case .silent:
      await Self.forever()
      throw .cancelled
    case .delayed(let pause): try await wait(pause)
    case .otherKey:
      throw .trust(
        TrustFailure(
          .otherKey, host: "robot.test:8443", seen: PublicKeyPin("sha256/\(String(repeating: "/", count: 42))8="),
          expected: Self.pin.map { [.publicKey($0)] } ?? []))
    case .identityNeeded: throw .identity(.needed)
    default: break
    }
    let answer = try await answer(to: request, fault)
    var response = answer.head
    if case .busy(let pause) = fault { response.retryAfter = pause }
    if case .short = fault { response.contentLength = nil }
    response.body = MemoryBody(answer.bytes[...], fault, clock?.clock ?? .system) { [weak self] count in
      self?.state.withLock { $0.sentBytes += count }
    }
    return response
  }

  private func answer(
    to request: MediaRequest, _ fault: RobotFault?
  ) async throws(TransportFailure) -> MemoryAnswer {
    switch fault {
    case .notAllowed: return MemoryAnswer(HTTPProblem.notPermitted.document)
    case .busy:
      return MemoryAnswer(HTTPProblem(.serviceUnavailable, .busy, "The robot is busy: try again in a moment.").document)
    case .problem(let status, let code, let detail):
      return MemoryAnswer(HTTPProblem(status: HTTPStatus(status), code: code.rawValue, detail: detail).document)
    default: break
    }
    let now = UnixTimestamp(nanoseconds: (clock?.clock ?? .system).unixNanoseconds)
    let source = MemorySource(state.withLock { $0.library }, now: now) { [weak self] isKept, name in
      self?.state.withLock { $0.library.keep(isKept, name) } ?? false
    }
    let head = try request.head()
    let response = await RecordingHandler(source, nil).answer(to: head, of: head)
    do throws(ResponseBodyError) {
      return try await MemoryAnswer(response, to: head, now: now.milliseconds / 1_000)
    } catch { throw .final(error.description) }
  }

  private func wait(_ pause: Duration) async throws(TransportFailure) {
    do { try await (clock?.clock ?? .system).sleep(for: pause) } catch { throw .cancelled }
  }

  /// Waits until the task is canceled.
  static func forever() async { while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) } }
}
