public import Dispatch
internal import Synchronization

/// A service's description of itself (RFC 6763 §6).
public struct NWTXTRecord: Hashable, Sendable {
  private let values: [String: String]

  public init(_ dictionary: [String: String]) { values = dictionary }

  public subscript(key: String) -> String? { values[key] }
}

/// Network's `NWBrowser`: it finds what a test says is there, once it is started, and nothing that comes later.
public final class NWBrowser: @unchecked Sendable {
  public enum State: Equatable, Sendable {
    case setup
    case waiting(NWError)
    case ready
    case failed(NWError)
    case cancelled
  }

  public enum Descriptor: Hashable, Sendable {
    case bonjour(type: String, domain: String?)
    case bonjourWithTXTRecord(type: String, domain: String?)
  }

  public struct Result: Hashable, Sendable {
    public enum Metadata: Hashable, Sendable {
      case bonjour(NWTXTRecord)
      case none
    }

    public enum Change: Hashable, Sendable {
      case identical
      case added(Result)
      case removed(Result)
    }

    public let endpoint: NWEndpoint
    public let metadata: Metadata
  }

  private struct Handlers {
    var state: (@Sendable (State) -> Void)?
    var results: (@Sendable (Set<Result>, Set<Result.Change>) -> Void)?
  }

  private let descriptor: Descriptor
  private let handlers = Mutex(Handlers())

  public init(for descriptor: Descriptor, using: NWParameters) { self.descriptor = descriptor }

  public var stateUpdateHandler: (@Sendable (State) -> Void)? {
    get { handlers.withLock { $0.state } }
    set { handlers.withLock { $0.state = newValue } }
  }

  public var browseResultsChangedHandler: (@Sendable (Set<Result>, Set<Result.Change>) -> Void)? {
    get { handlers.withLock { $0.results } }
    set { handlers.withLock { $0.results = newValue } }
  }

  public func start(queue: DispatchQueue) {
    queue.async { [self] in
      guard !FakeNetwork.deniesLocalNetwork else {
        // kDNSServiceErr_PolicyDenied
        stateUpdateHandler?(.waiting(.dns(-65_570)))
        return
      }
      stateUpdateHandler?(.ready)
      guard case .bonjourWithTXTRecord(let type, _) = descriptor else { return }
      let found = FakeNetwork.services.withLock { $0 }.filter { $0.type == type }.map { service in
        Result(
          endpoint: .service(name: service.name, type: type, domain: "local", interface: nil),
          metadata: .bonjour(NWTXTRecord(service.text)))
      }
      if !found.isEmpty { browseResultsChangedHandler?(Set(found), []) }
    }
  }

  public func cancel() {
    let handler = handlers.withLock { handlers in
      defer { handlers = Handlers() }
      return handlers.state
    }
    handler?(.cancelled)
  }
}

extension FakeNetwork {
  struct Service: Sendable {
    let name: String
    let type: String
    let port: UInt16
    let text: [String: String]
  }

  static let services = Mutex<[Service]>([])

  /// Has a service of this device found by whoever looks from now on.
  public static func announce(_ name: String, type: String, port: UInt16, _ text: [String: String]) {
    services.withLock { $0.append(Service(name: name, type: type, port: port, text: text)) }
  }

  public static func announceNothing() { services.withLock { $0 = [] } }
}
