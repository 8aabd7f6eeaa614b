internal import Synchronization
internal import FootageSystem

/// A transport to a robot that may be at one of several addresses. It is looked for with the first request, with the
/// next one after it could not be reached, and at once where somebody else answers in its place.
final class RoamingTransport: MediaTransport {
  /// Where the robot may be now, the likeliest first and at least one, and which keys it has: none where nobody is to be
  /// trusted any more.
  typealias Candidates = @Sendable () async -> (addresses: [RobotAddress], pins: [PublicKeyPin])
  /// Told that the robot has proved a key at an address.
  typealias ProofHandler = @Sendable (PublicKeyPin, RobotAddress) async -> PinnedTransport.ProofAnswer

  /// Where it was found.
  private final class Place: Sendable {
    private let current = Mutex<(address: RobotAddress, transport: PinnedTransport)?>(nil)

    var transport: PinnedTransport? { current.withLock { $0?.transport } }

    func isAt(_ address: RobotAddress) -> Bool { current.withLock { $0?.address == address } }

    func set(_ finding: RobotSearch.Finding) {
      current.withLock { $0 = (finding.address, finding.transport) }
    }

    func leave(_ transport: PinnedTransport) {
      current.withLock { if $0?.transport === transport { $0 = nil } }
    }
  }

  private let place = Place()
  /// Where it is, for all who want to know that now.
  let searching = SharedWork<Result<PinnedTransport, TransportFailure>>()
  private let candidates: Candidates
  private let makeTransport: @Sendable (RobotAddress, [PublicKeyPin], Place) throws(RobotError) -> PinnedTransport

  /// - Parameters:
  ///   - candidates: asked before each search.
  ///   - identity: shown to who has proved the key, and to nobody else.
  ///   - network: which of the device's networks it may be reached over.
  ///   - onProof: told what the robot has proved where it was found: what others prove meanwhile does not count.
  ///   - onWarning: told what is not right with the robot's certificate and was let pass.
  init(
    as identity: PlatformIdentity?, over network: NetworkPolicy, candidates: @escaping Candidates,
    onProof: @escaping ProofHandler,
    onWarning: @escaping @Sendable (TrustWarning) -> Void
  ) {
    self.candidates = candidates
    makeTransport = { (address, pins, place) throws(RobotError) in
      try PinnedTransport(
        to: address, trusting: .pinned(keys: pins), as: identity, over: network,
        onProof: { [weak place] pin in
          // The place holds the transport, and ends its connections with it.
          guard let place, place.isAt(address) else { return .again }
          return await onProof(pin, address)
        }, onWarning: onWarning)
    }
  }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    if let transport = place.transport {
      do throws(TransportFailure) { return try await transport.open(request) } catch {
        switch error {
        // It may have been sent there, but whoever asks knows whether to ask again.
        case .passing, .localNetworkDenied: place.leave(transport)
        // Another one has its address by now, and got nothing.
        case .trust: place.leave(transport)
        case .identity, .final, .cancelled: break
        }
        guard case .trust = error else { throw error }
      }
    }
    let start = Clock.system.uptime
    // What a screen asks for at once looks for the robot once.
    guard let found = await searching.value({ await self.find() }) else { throw .cancelled }
    let waited = Clock.system.uptime - start
    var response = try await found.get().open(request)
    response.connectedAfter = response.connectedAfter.map { $0 + waited }
    return response
  }

  func prepare() async { await place.transport?.prepare() }

  private func find() async -> Result<PinnedTransport, TransportFailure> {
    let (addresses, pins) = await candidates()
    guard !pins.isEmpty else {
      return .failure(
        .trust(TrustFailure(.nobodyIsTrusted, host: addresses.first?.description ?? "", seen: nil, expected: [])))
    }
    let search = RobotSearch(expectedAt: addresses.first) { [makeTransport, place] (address) throws(RobotError) in
      try makeTransport(address, pins, place)
    }
    do throws(RobotError) {
      let finding = try await search.find(at: addresses)
      place.set(finding)
      return .success(finding.transport)
    } catch { return .failure(TransportFailure(error)) }
  }
}

extension TransportFailure {
  init(_ error: RobotError) {
    switch error {
    case .trust(let failure): self = .trust(failure)
    case .identity(let failure): self = .identity(failure)
    case .cancelled: self = .cancelled
    case .unreachable(let reason): self = .passing(reason)
    case .localNetworkDenied: self = .localNetworkDenied
    default: self = .final(error.description)
    }
  }
}
