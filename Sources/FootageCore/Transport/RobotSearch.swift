/// A search for a robot. It finds the address, among several, at which a peer proves that it has one of the robot's
/// keys.
///
/// An address is no proof of identity: until the peer has proved the key, only the messages that open a TLS connection
/// are sent to it.
struct RobotSearch: Sendable {
  /// The robot's address, its key, and the connection over which it has proved that key.
  struct Finding: Sendable {
    let address: RobotAddress
    let pin: PublicKeyPin
    let transport: PinnedTransport
  }

  /// A function that creates the transport to an address.
  let transport: @Sendable (RobotAddress) throws(RobotError) -> PinnedTransport
  /// The address at which a stranger is reported; nil if it is reported at all addresses.
  let expected: RobotAddress?

  /// The time until the next address is tried in parallel (RFC 8305 §5).
  private static let pause = Duration.milliseconds(250)

  /// Creates a search for the robot that has one of these keys.
  init(for pins: [PublicKeyPin], as identity: PlatformIdentity?, over network: NetworkPolicy) {
    expected = nil
    transport = { (address) throws(RobotError) in
      try PinnedTransport(to: address, trusting: .pinned(keys: pins), as: identity, over: network) { _ in }
    }
  }

  /// - Parameter expected: the address where the robot was last reached. At the robot's other addresses, a peer without
  ///   the robot's key is not reported, because networks reassign addresses.
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

  /// Returns the first of these addresses at which the key is proved, without waiting for the others.
  ///
  /// - Parameter addresses: the likeliest first; not empty.
  /// - Throws: `RobotError`: `.trust` if the robot is not found, and a stranger answers at an address where strangers
  ///   are reported; `.unreachable` if no peer answers; `.cancelled`.
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

  /// Returns the error to report. A stranger in the robot's place is more important than an address that does not
  /// answer.
  private func worst(of failures: [Failure]) -> RobotError {
    if Task.isCancelled { return .cancelled }
    let news = failures.filter { expected == nil || $0.address == expected }.map(\.error)
    let trust = news.first { if case .trust = $0 { true } else { false } }
    let final = news.first { !$0.canPass && $0 != .cancelled }
    let passing = failures.map(\.error).filter(\.canPass)
    // This is a problem that a person can solve at once.
    let denied = passing.first { $0 == .localNetworkDenied }
    return trust ?? final ?? denied ?? passing.first ?? .unreachable("it was not found at any of its addresses")
  }
}

extension PinnedTransport {
  /// Returns the trusted key that the peer has proved. It sends a request whose answer does not matter: a robot that
  /// refuses it for lack of a certificate, for example, has proved its key.
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
