internal import Dispatch
internal import Network
internal import Synchronization

/// A browser that looks for robots by Bonjour. The app's Info.plist has to have `NSBonjourServices` with
/// `_footage._tcp`, and `NSLocalNetworkUsageDescription`.
public struct NetworkRobotBrowser: RobotBrowser {
  /// Creates a browser. Nothing is asked yet.
  public init() {}

  private static let type = "_footage._tcp"
  /// The value of `kDNSServiceErr_PolicyDenied` in dns_sd.h.
  private static let policyDenied: Int32 = -65_570

  public func browse(_ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) async throws(DiscoveryError) {
    let queue = DispatchQueue(label: "footage.discovery")
    let browser = NWBrowser(for: .bonjourWithTXTRecord(type: Self.type, domain: nil), using: .tcp)
    let places = BonjourPlaces(on: queue, onChange)
    let (ends, end) = AsyncStream.makeStream(of: DiscoveryError.self, bufferingPolicy: .bufferingOldest(1))
    browser.stateUpdateHandler = { state in
      switch state {
      // The browser waits for the user's permission, forever if it was refused.
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
    // The loop also ends when the task is cancelled.
    for await error in ends { throw error }
  }
}

/// The addresses of the services that a browser has found. Bonjour reveals an address only when a client connects. So a
/// connection is opened to each service, and closed before anything is sent. A failed connection is tried again, with
/// growing pauses.
final class BonjourPlaces: Sendable {
  struct Service: Sendable {
    let name: String
    let endpoint: NWEndpoint
    let pin: PublicKeyPin?
  }

  /// The state of the search for a service's address.
  private enum Place {
    /// A connection to the service is being opened.
    case asked(NWConnection)
    /// The connection failed, and is tried again later.
    case resting
    case found(RobotAddress)
  }

  private struct Entry {
    let service: Service
    var place: Place?
    /// The number of failed connections in a row.
    var failures = 0

    var connection: NWConnection? { if case .asked(let connection)? = place { connection } else { nil } }
  }

  private struct State {
    /// The entries by the services' names, which are unique in a network.
    var entries: [String: Entry] = [:]
    var isEnded = false
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let onChange: @Sendable ([AnnouncedRobot]) -> Void

  /// The time that a connection to a robot may take, in seconds.
  private static let patience = 10
  /// The pauses in seconds before a failed connection is tried again. They grow with each failure in a row, up to the
  /// last one, which then repeats.
  private static let pauses = [1, 2, 4, 8, 16, 32, 60]

  init(on queue: DispatchQueue, _ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) {
    self.queue = queue
    self.onChange = onChange
  }

  /// Adopts the list of all current services.
  func look(for services: [Service]) {
    let ended = state.withLock { state -> [NWConnection] in
      guard !state.isEnded else { return [] }
      let former = state.entries
      state.entries = [:]
      for service in services {
        // A service that is announced with a different key may have a different address, too.
        let known = former[service.name].flatMap { $0.service.pin == service.pin ? $0 : nil }
        state.entries[service.name] = known ?? Entry(service: service)
      }
      let kept = state.entries.values.compactMap(\.connection)
      return former.values.compactMap(\.connection).filter { one in !kept.contains { $0 === one } }
    }
    for connection in ended { connection.cancel() }
    ask()
    tell()
  }

  /// Connects to each service whose address is not known yet.
  private func ask() {
    let begun = state.withLock { state -> [(String, NWConnection)] in
      guard !state.isEnded else { return [] }
      return state.entries.filter { $0.value.place == nil }.map { name, entry in
        let options = NWProtocolTCP.Options()
        options.connectionTimeout = Self.patience
        let connection = NWConnection(to: entry.service.endpoint, using: NWParameters(tls: nil, tcp: options))
        state.entries[name]?.place = .asked(connection)
        return (name, connection)
      }
    }
    for (name, connection) in begun {
      connection.stateUpdateHandler = { [weak self, weak connection] state in
        guard let self, let connection else { return }
        switch state {
        case .ready: found(name, by: connection, connection.currentPath?.remoteEndpoint)
        case .failed, .waiting: found(name, by: connection, nil)
        default: break
        }
      }
      connection.start(queue: queue)
    }
  }

  func end() {
    let connections = state.withLock { state in
      defer { state.entries = [:] }
      state.isEnded = true
      return state.entries.values.compactMap(\.connection)
    }
    for connection in connections { connection.cancel() }
  }

  /// - Parameter endpoint: nil if the connection failed.
  private func found(_ name: String, by connection: NWConnection, _ endpoint: NWEndpoint?) {
    let address = endpoint.flatMap(Self.address)
    let failures = state.withLock { state -> Int? in
      // The connection may be one to a former service of this name.
      guard var entry = state.entries[name], entry.connection === connection else { return nil }
      entry.place = address.map { .found($0) } ?? .resting
      entry.failures = address == nil ? entry.failures + 1 : 0
      state.entries[name] = entry
      return entry.failures
    }
    connection.cancel()
    guard let failures else { return }
    if failures > 0 {
      let pause = Self.pauses[min(failures, Self.pauses.count) - 1]
      queue.asyncAfter(deadline: .now() + .seconds(pause)) { [weak self] in self?.askAgain(name) }
    }
    tell()
  }

  private func askAgain(_ name: String) {
    state.withLock { state in
      if case .resting? = state.entries[name]?.place { state.entries[name]?.place = nil }
    }
    ask()
  }

  private func tell() {
    let robots = state.withLock { state in
      state.entries.values.compactMap { entry -> AnnouncedRobot? in
        guard case .found(let address)? = entry.place else { return nil }
        return AnnouncedRobot(name: entry.service.name, addresses: [address], pinHint: entry.service.pin)
      }
    }
    onChange(AnnouncedRobot.merged(robots))
  }

  private static func address(_ endpoint: NWEndpoint) -> RobotAddress? {
    guard case .hostPort(let host, let port) = endpoint else { return nil }
    // An IPv6 link-local address includes its interface: `fe80::7%en0`. An IPv4 address may include one as well, but
    // does not need it.
    let text = "\(host)"
    return RobotAddress(
      text.contains(":") ? "[\(text)]:\(port.rawValue)" : "\(text.prefix { $0 != "%" }):\(port.rawValue)")
  }
}
