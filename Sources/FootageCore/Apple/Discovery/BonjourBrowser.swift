internal import Dispatch
internal import Network
internal import Synchronization

/// Looks for robots by Bonjour. The app's Info.plist has to have `NSBonjourServices` with `_footage._tcp`, and
/// `NSLocalNetworkUsageDescription`.
public struct NetworkRobotBrowser: RobotBrowser {
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

/// Where the services are that a browser has found. Bonjour tells it to who connects: a connection is made to each, and
/// broken off before anything is sent. One that cannot be connected to is tried again, with growing pauses.
final class BonjourPlaces: Sendable {
  struct Service: Sendable {
    let name: String
    let endpoint: NWEndpoint
    let pin: PublicKeyPin?
  }

  /// What is known of a service's place.
  private enum Place {
    /// It is being connected to.
    case asked(NWConnection)
    /// It could not be connected to, and is tried again later.
    case resting
    case found(RobotAddress)
  }

  private struct Entry {
    let service: Service
    var place: Place?
    /// How often in a row it could not be connected to.
    var failures = 0

    var connection: NWConnection? { if case .asked(let connection)? = place { connection } else { nil } }
  }

  private struct State {
    /// By the services' names, which a network sees to that no two have.
    var entries: [String: Entry] = [:]
    var isEnded = false
  }

  private let state = Mutex(State())
  private let queue: DispatchQueue
  private let onChange: @Sendable ([AnnouncedRobot]) -> Void

  /// How long a robot may take to be connected to, in seconds.
  private static let patience = 10
  /// In seconds, before one that could not be connected to is tried again: from each to the next twice as long, up to
  /// the last.
  private static let pauses = [1, 2, 4, 8, 16, 32, 60]

  init(on queue: DispatchQueue, _ onChange: @escaping @Sendable ([AnnouncedRobot]) -> Void) {
    self.queue = queue
    self.onChange = onChange
  }

  /// Takes all services that there are now.
  func look(for services: [Service]) {
    let ended = state.withLock { state -> [NWConnection] in
      guard !state.isEnded else { return [] }
      let former = state.entries
      state.entries = [:]
      for service in services {
        // What is announced with another key may be somewhere else, too.
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

  /// Connects to those of which nothing is known.
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

  /// - Parameter endpoint: nil where it could not be connected to.
  private func found(_ name: String, by connection: NWConnection, _ endpoint: NWEndpoint?) {
    let address = endpoint.flatMap(Self.address)
    let failures = state.withLock { state -> Int? in
      // A former service of this name may have been connected to.
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
    // Of IPv6 with its interface, where it is of a link: `fe80::7%en0`. One of IPv4 may be said with one, which it does not
    // need.
    let text = "\(host)"
    return RobotAddress(
      text.contains(":") ? "[\(text)]:\(port.rawValue)" : "\(text.prefix { $0 != "%" }):\(port.rawValue)")
  }
}
