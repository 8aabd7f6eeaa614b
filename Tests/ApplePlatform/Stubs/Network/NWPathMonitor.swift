public import Dispatch
internal import Synchronization

/// Which network there is.
public struct NWPath: Sendable {
  public enum Status: Sendable {
    case satisfied
    case unsatisfied
    case requiresConnection
  }

  public enum UnsatisfiedReason: Sendable {
    case notAvailable
    case cellularDenied
    case wifiDenied
    case localNetworkDenied
    case vpnInactive
  }

  public let remoteEndpoint: NWEndpoint?
  public let unsatisfiedReason: UnsatisfiedReason
  public let status: Status
  public let isExpensive: Bool
  public let isConstrained: Bool

  /// Creates a path with the present state of the fake's network.
  ///
  /// - Parameter type: over which it has to go; nil for what the system takes by itself.
  init(to remoteEndpoint: NWEndpoint?, over type: NWInterface.InterfaceType? = nil) {
    self.remoteEndpoint = remoteEndpoint
    unsatisfiedReason = FakeNetwork.deniesLocalNetwork ? .localNetworkDenied : .notAvailable
    let isThere = type == nil || type == .wifi && FakeNetwork.hasWiFiBeside
    status = isThere && !FakeNetwork.deniesLocalNetwork ? .satisfied : .unsatisfied
    isExpensive = type == nil && FakeNetwork.isExpensive
    isConstrained = type == nil && FakeNetwork.isConstrained
  }
}

/// Network's `NWPathMonitor`: it tells when it is started, and when a test has it do so.
public final class NWPathMonitor: Sendable {
  private struct State {
    var handler: (@Sendable (NWPath) -> Void)?
    var queue: DispatchQueue?
  }

  private static let started = Mutex<[ObjectIdentifier: NWPathMonitor]>([:])
  private let state = Mutex(State())
  private let type: NWInterface.InterfaceType?

  public init() { type = nil }

  public init(requiredInterfaceType: NWInterface.InterfaceType) { type = requiredInterfaceType }

  public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
    get { state.withLock { $0.handler } }
    set { state.withLock { $0.handler = newValue } }
  }

  public func start(queue: DispatchQueue) {
    state.withLock { $0.queue = queue }
    // Network holds it for as long as it goes.
    Self.started.withLock { $0[ObjectIdentifier(self)] = self }
    tell()
  }

  public func cancel() {
    state.withLock { $0.queue = nil }
    _ = Self.started.withLock { $0.removeValue(forKey: ObjectIdentifier(self)) }
  }

  /// How many go on.
  static var count: Int { started.withLock { $0.count } }

  static func tellAll() { for monitor in started.withLock({ Array($0.values) }) { monitor.tell() } }

  private func tell() {
    state.withLock { $0.queue }?.async {
      guard let handler = self.state.withLock({ $0.queue == nil ? nil : $0.handler }) else { return }
      handler(NWPath(to: nil, over: self.type))
    }
  }
}
