#if canImport(Network)
public import FootageCore
internal import Dispatch
internal import Network
internal import Synchronization

/// Looks for robots by Bonjour. The app's Info.plist has to have `NSBonjourServices` with `_footage._tcp`, and
/// `NSLocalNetworkUsageDescription`.
public struct NetworkBrowser: RobotBrowser {
  /// Nothing is asked yet.
  public init() {}

  private static let type = "_footage._tcp"
  /// `kDNSServiceErr_PolicyDenied` of dns_sd.h.
  private static let policyDenied: Int32 = -65_570

  public func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
    let queue = DispatchQueue(label: "footage.discovery")
    let browser = NWBrowser(for: .bonjourWithTXTRecord(type: Self.type, domain: nil), using: .tcp)
    let places = BonjourPlaces(on: queue, onChange)
    let (ends, end) = AsyncStream.makeStream(of: DiscoveryError.self, bufferingPolicy: .bufferingOldest(1))
    browser.stateUpdateHandler = { state in
      switch state {
      // It waits for the person to allow it, for ever where that was refused.
      case .waiting(.dns(Self.policyDenied)), .failed(.dns(Self.policyDenied)): end.yield(.notAllowed)
      case .failed(let error): end.yield(.unavailable("\(error)"))
      default: break
      }
    }
    browser.browseResultsChangedHandler = { results, _ in
      places.look(
        for: results.prefix(AnnouncedRobot.mostRobots).compactMap { result in
          guard case .service(let name, _, _, _) = result.endpoint else { return nil }
          var text: String?
          if case .bonjour(let record) = result.metadata { text = record["pin"] }
          return BonjourPlaces.Service(name: name, endpoint: result.endpoint, pin: text.flatMap { PublicKeyPin($0) })
        })
    }
    browser.start(queue: queue)
    defer {
      browser.cancel()
      places.end()
    }
    // Nil with the task.
    for await error in ends { throw error }
  }
}

/// Where the services are that a browser has found. Bonjour tells it to who connects: a connection is made to each once,
/// and broken off before anything is sent.
final class BonjourPlaces: Sendable {
  struct Service: Sendable {
    let name: String
    let endpoint: NWEndpoint
    let pin: PublicKeyPin?
  }

  private struct State {
    var services: [Service] = []
    /// What was found out, by their names; none where nothing was.
    var addresses: [String: [RobotAddress]] = [:]
    var connections: [String: NWConnection] = [:]
    var isEnded = false
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let onChange: @Sendable ([AnnouncedRobot]) -> Void

  /// How long a robot may take to be connected to.
  private static let patience = 10

  init(on queue: DispatchQueue, _ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) {
    self.queue = queue
    self.onChange = onChange
  }

  /// Takes all services that there are now.
  func look(for services: [Service]) {
    let (begun, ended) = state.withLock { state -> (begun: [(String, NWConnection)], ended: [NWConnection]) in
      guard !state.isEnded else { return ([], []) }
      let names = Set(services.map(\.name))
      let ended = state.connections.filter { !names.contains($0.key) }.map(\.value)
      state.connections = state.connections.filter { names.contains($0.key) }
      state.addresses = state.addresses.filter { names.contains($0.key) }
      // What is announced with another key may be somewhere else, too.
      for service in services
      where !state.services.contains(where: { $0.name == service.name && $0.pin == service.pin }) {
        state.addresses[service.name] = nil
      }
      state.services = services
      var begun: [(String, NWConnection)] = []
      for service in services where state.addresses[service.name] == nil && state.connections[service.name] == nil {
        let options = NWProtocolTCP.Options()
        options.connectionTimeout = Self.patience
        let connection = NWConnection(to: service.endpoint, using: NWParameters(tls: nil, tcp: options))
        state.connections[service.name] = connection
        begun.append((service.name, connection))
      }
      return (begun, ended)
    }
    for connection in ended { connection.cancel() }
    for (name, connection) in begun {
      connection.stateUpdateHandler = { [weak self, weak connection] state in
        switch state {
        case .ready: self?.found(name, connection?.currentPath?.remoteEndpoint)
        case .failed, .waiting: self?.found(name, nil)
        default: break
        }
      }
      connection.start(queue: queue)
    }
    tell()
  }

  func end() {
    let connections = state.withLock { state in
      defer { state.connections = [:] }
      state.isEnded = true
      return state.connections.values.map(\.self)
    }
    for connection in connections { connection.cancel() }
  }

  private func found(_ name: String, _ endpoint: NWEndpoint?) {
    let connection = state.withLock { state -> NWConnection? in
      guard let connection = state.connections.removeValue(forKey: name) else { return nil }
      state.addresses[name] = endpoint.flatMap(Self.address).map { [$0] } ?? []
      return connection
    }
    guard let connection else { return }
    connection.cancel()
    tell()
  }

  private func tell() {
    let robots = state.withLock { state in
      state.services.compactMap { service -> AnnouncedRobot? in
        guard let addresses = state.addresses[service.name], !addresses.isEmpty else { return nil }
        return AnnouncedRobot(name: service.name, addresses: addresses, pinHint: service.pin)
      }
    }
    onChange(AnnouncedRobot.merged(robots))
  }

  private static func address(_ endpoint: NWEndpoint) -> RobotAddress? {
    guard case .hostPort(let host, let port) = endpoint else { return nil }
    // Of IPv6 with its interface, where it is of a link: `fe80::7%en0`.
    let text = "\(host)"
    return RobotAddress(text.contains(":") ? "[\(text)]:\(port.rawValue)" : "\(text):\(port.rawValue)")
  }
}
#endif
