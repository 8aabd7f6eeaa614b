/// Finds out where a robot is: at which of several addresses somebody proves to have one of its keys.
///
/// Nobody is believed for an address: until the key is proved, nothing is sent there but what opens a TLS connection.
struct RobotSearch: Sendable {
  /// Where it is, which key it has, and the connection over which it has proved that.
  struct Finding: Sendable {
    let address: RobotAddress
    let pin: PublicKeyPin
    let transport: PinnedTransport
  }

  /// Makes what asks at an address.
  let transport: @Sendable (RobotAddress) throws(RobotError) -> PinnedTransport
  /// The address at which a stranger is news; nil for all of them.
  let expected: RobotAddress?

  /// How long an address has for itself before the next one is asked beside it (RFC 8305 §5).
  private static let pause = Duration.milliseconds(250)

  /// Asks for whoever has one of these keys.
  init(for pins: [PublicKeyPin], as identity: PlatformIdentity?, over network: NetworkPolicy) {
    expected = nil
    transport = { (address) throws(RobotError) in
      try PinnedTransport(to: address, trusting: .pinned(keys: pins), as: identity, over: network) { _ in }
    }
  }

  /// - Parameter expected: where the robot was met last. Networks give its other addresses to whoever comes, and who
  ///   answers there without its key only says that it is elsewhere.
  init(
    expectedAt expected: RobotAddress?,
    _ transport: @escaping @Sendable (RobotAddress) throws(RobotError) -> PinnedTransport
  ) {
    self.expected = expected
    self.transport = transport
  }

  private enum Step: Sendable {
    case found(Finding)
    case failed(Failure)
    case paused
  }

  private struct Failure: Sendable {
    let address: RobotAddress
    let error: RobotError
  }

  /// The first of these addresses where the key is proved. The others are not waited for.
  ///
  /// - Parameter addresses: the likeliest first; not empty.
  /// - Throws: `RobotError`: `.trust` where only strangers answer, and one of them where that is news; `.unreachable`
  ///   where nobody does; `.cancelled`.
  func find(at addresses: [RobotAddress]) async throws(RobotError) -> Finding {
    let outcome = await withTaskGroup(of: Step.self) { group -> Result<Finding, RobotError> in
      var rest = addresses[...]
      var failures: [Failure] = []
      var running = 0
      func begin(_ group: inout TaskGroup<Step>) {
        guard let address = rest.popFirst() else { return }
        running += 1
        group.addTask { await ask(at: address) }
        if !rest.isEmpty {
          group.addTask {
            try? await Task.sleep(for: Self.pause)
            return .paused
          }
        }
      }
      begin(&group)
      while running > 0, let step = await group.next() {
        switch step {
        case .found(let finding):
          group.cancelAll()
          return .success(finding)
        case .failed(let failure):
          failures.append(failure)
          running -= 1
          begin(&group)
        case .paused: begin(&group)
        }
      }
      group.cancelAll()
      return .failure(worst(of: failures))
    }
    return try outcome.get()
  }

  private func ask(at address: RobotAddress) async -> Step {
    do throws(RobotError) {
      let transport = try transport(address)
      return .found(Finding(address: address, pin: try await transport.proof(), transport: transport))
    } catch { return .failed(Failure(address: address, error: error)) }
  }

  /// Who answers in the robot's place is to be told of, rather than who does not answer.
  private func worst(of failures: [Failure]) -> RobotError {
    if Task.isCancelled { return .cancelled }
    let news = failures.filter { expected == nil || $0.address == expected }.map(\.error)
    let trust = news.first { if case .trust = $0 { true } else { false } }
    let final = news.first { !$0.canPass && $0 != .cancelled }
    let passing = failures.map(\.error).filter(\.canPass)
    // What a person can change at once.
    let denied = passing.first { $0 == .localNetworkDenied }
    return trust ?? final ?? denied ?? passing.first ?? .unreachable("it is at none of its addresses")
  }
}

extension PinnedTransport {
  /// The key that who answers has proved to have, of those that are trusted. Asks whether somebody is there, whatever
  /// the answer: a robot that wants to see a certificate, say, is the robot all the same.
  ///
  /// - Throws: `RobotError`: `.trust`, `.unreachable` at once, `.malformed`.
  func proof() async throws(RobotError) -> PublicKeyPin {
    var request = MediaRequest("/health?live")
    let patience = DocumentPatience.standard.reaching
    request.connectionTimeout = patience
    let answer = await TimeLimit.result(within: patience) { [request] () async -> RobotError? in
      do throws(TransportFailure) { _ = try await self.open(request) } catch { return RobotError(error) }
      return nil
    }
    let failure = (answer ?? nil) ?? .unreachable("it did not answer")
    guard let pin = provenPin else { throw failure }
    return pin
  }
}
