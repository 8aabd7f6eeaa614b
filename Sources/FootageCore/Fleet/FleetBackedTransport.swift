internal import FootageBase
internal import Synchronization
internal import FootageSystem

/// A transport to a robot that is backed by a server of many robots, which has the recordings that the robot copied to
/// that server's store. The robot is asked first. The server is asked for what the robot lacks, and while the robot
/// cannot be reached.
///
/// Both serve bytes under the robot's own entity tags, so their bytes can be combined. Each is trusted by its own pin.
final class FleetBackedTransport: MediaTransport {
  private let robot: any MediaTransport
  private let fleet: any MediaTransport
  /// The robot's name on the server.
  private let name: String
  private let clock: Clock
  /// The time until which the robot is considered unreachable. Requests before that time do not wait for it.
  private let awayUntil = Mutex(Duration.zero)

  /// The time for which the robot may be silent before the server is asked for the same bytes, too.
  private static let silence = Duration.seconds(2)
  private static let awayInterval = Duration.seconds(30)
  /// The size limit for the server's documents, in bytes.
  private static let documentLimit = 4 << 20
  /// The statuses that mean that the robot lacks a resource, or cannot provide it now (RFC 9110 §15.5 and §15.6).
  private static let lacks: Set<Int> = [404, 410, 500, 502, 503, 504]

  init(_ robot: any MediaTransport, _ fleet: any MediaTransport, as name: String, clock: Clock) {
    self.robot = robot
    self.fleet = fleet
    self.name = name
    self.clock = clock
  }

  private typealias Outcome = Result<MediaResponse, TransportFailure>

  private enum Word: Sendable {
    case robot(Outcome)
    /// The server's answer; nil if it does not have the resource.
    case fleet(Result<MediaResponse?, TransportFailure>)
    /// The robot has been silent for a while.
    case silence
  }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    guard let other = FleetRequest(request, of: name) else { return try await robot.open(request) }
    if other.goesOn {
      guard let answer = try await answer(to: other) else { throw .final("the list of \(name) is cut short") }
      return answer
    }
    // If this fails, the server is asked again after the robot, and the failure is reported then.
    if isAway, let answer = try? await answer(to: other) { return answer }
    return try await whoeverHas(request, other).get()
  }

  func prepare() async { await (isAway ? fleet : robot).prepare() }

  private var isAway: Bool { awayUntil.withLock { $0 > clock.uptime } }

  private func whoeverHas(_ request: MediaRequest, _ other: FleetRequest) async -> Outcome {
    await withTaskGroup(of: Word.self) { group in
      defer { group.cancelAll() }
      group.addTask { .robot(await self.robotsOutcome(of: request)) }
      // A document from the robot is worth waiting for: it lists recordings that are not in the store yet.
      if !other.isDocument {
        group.addTask {
          await self.clock.pause(for: Self.silence)
          return .silence
        }
      }
      var robots: Outcome?
      var isFleetAsked = false
      for await word in group {
        switch word {
        case .robot(let outcome):
          guard lacksIt(outcome) else { return outcome }
          robots = outcome
        case .silence: break
        case .fleet(.success(let answer?)): return .success(answer)
        case .fleet(.failure(let failure)) where failure.concernsTrust: return .failure(failure)
        case .fleet:
          if let robots { return robots }
          continue
        }
        guard !isFleetAsked else { continue }
        isFleetAsked = true
        group.addTask { .fleet(await self.fleetsOutcome(of: other)) }
      }
      return robots ?? .failure(.cancelled)
    }
  }

  private func robotsOutcome(of request: MediaRequest) async -> Outcome {
    let outcome: Outcome
    do throws(TransportFailure) { outcome = .success(try await robot.open(request)) } catch {
      outcome = .failure(error)
    }
    switch outcome {
    case .success: awayUntil.withLock { $0 = .zero }
    case .failure(.passing), .failure(.localNetworkDenied): awayUntil.withLock { $0 = clock.uptime + Self.awayInterval }
    case .failure: break
    }
    return outcome
  }

  private func lacksIt(_ outcome: Outcome) -> Bool {
    switch outcome {
    case .success(let response): Self.lacks.contains(response.status)
    case .failure(.passing), .failure(.localNetworkDenied): true
    // A different machine in the robot's place is reported, whatever the server has.
    case .failure: false
    }
  }

  private func fleetsOutcome(of other: FleetRequest) async -> Result<MediaResponse?, TransportFailure> {
    do throws(TransportFailure) { return .success(try await answer(to: other)) } catch { return .failure(error) }
  }

  /// Returns the server's answer; nil if the server lacks the resource, or has a different version of it.
  private func answer(to other: FleetRequest) async throws(TransportFailure) -> MediaResponse? {
    let response = try await fleet.open(other.request)
    guard response.status == 200 || response.status == 206 else { return nil }
    if let wanted = other.request.ifRange, response.entityTag != wanted { return nil }
    guard other.isDocument else { return response }
    let bytes = try await response.body.document(limit: Self.documentLimit)
    guard let json = JSONValue(bytes), let own = other.document(json) else {
      throw .final("the fleet server's answer about \(name) is invalid")
    }
    var writer = JSONWriter()
    writer.value(own)
    var answer = response
    answer.contentLength = UInt64(writer.bytes.count)
    answer.body = DocumentBody(writer.bytes)
    return answer
  }
}

/// A body that is already in memory.
private final class DocumentBody: MediaBody {
  private let bytes: Mutex<[UInt8]>

  init(_ bytes: [UInt8]) { self.bytes = Mutex(bytes) }

  func next() async throws(TransportFailure) -> [UInt8]? {
    bytes.withLock { bytes in
      defer { bytes = [] }
      return bytes.isEmpty ? nil : bytes
    }
  }
}

extension TransportFailure {
  /// True if a person should examine the failure: the key is not the pinned one, or the identity is not accepted.
  fileprivate var concernsTrust: Bool {
    switch self {
    case .trust, .identity: true
    case .passing, .localNetworkDenied, .final, .cancelled: false
    }
  }
}
