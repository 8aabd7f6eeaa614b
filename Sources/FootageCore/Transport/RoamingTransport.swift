internal import Synchronization
internal import FootageSystem

/// A transport to a robot that may be at one of several addresses. It searches for the robot at the first request, at
/// the first request after the robot could not be reached, and immediately when another machine answers in its place.
final class RoamingTransport: MediaTransport {
  /// A source of the addresses where the robot may be now, at least one and the likeliest first, and of the robot's
  /// keys. Without keys, no peer is trusted any more.
  typealias Candidates = @Sendable () async -> (addresses: [RobotAddress], pins: [PublicKeyPin])
  /// A handler that is called when the robot has proved a key at an address.
  typealias ProofHandler = @Sendable (PublicKeyPin, RobotAddress) async -> PinnedTransport.ProofAnswer

  /// The address where the robot was found, and the transport to it.
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
  /// The running search, which all requests share that need its result.
  let searching = SharedWork<Result<PinnedTransport, TransportFailure>>()
  private let candidates: Candidates
  private let makeTransport: @Sendable (RobotAddress, [PublicKeyPin], Place) throws(RobotError) -> PinnedTransport

  /// - Parameters:
  ///   - candidates: called before each search.
  ///   - identity: presented only to a peer that has proved the key.
  ///   - network: the device's networks over which the robot may be reached.
  ///   - onProof: called with the key that the robot has proved where it was found; keys that were proved elsewhere
  ///     during the search do not count.
  ///   - onWarning: called with each defect of the robot's certificate that was tolerated.
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
          // The reference is weak because the place owns the transport, whose connections end with it.
          guard let place, place.isAt(address) else { return .again }
          return await onProof(pin, address)
        }, onWarning: onWarning)
    }
  }

  func open(_ request: MediaRequest) async throws(TransportFailure) -> MediaResponse {
    if let transport = place.transport {
      do throws(TransportFailure) { return try await transport.open(request) } catch {
        switch error {
        // The request may have reached the robot; the caller knows whether to repeat it.
        case .passing, .localNetworkDenied: place.leave(transport)
        // Another machine has this address now, and received nothing.
        case .trust: place.leave(transport)
        case .identity, .final, .cancelled: break
        }
        guard case .trust = error else { throw error }
      }
    }
    let start = Clock.system.uptime
    // Requests that a screen sends at the same time share one search.
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
