public import Security

// Network's parameters and protocols, as far as they are used.

open class NWProtocolOptions: @unchecked Sendable {}

open class NWProtocolMetadata: @unchecked Sendable {}

public final class NWProtocolDefinition: Sendable {}

public final class NWProtocolTLS {
  public static let definition = NWProtocolDefinition()

  public final class Options: NWProtocolOptions, @unchecked Sendable {
    public let securityProtocolOptions: sec_protocol_options_t = SecProtocolOptions()

    public override init() {}
  }

  public final class Metadata: NWProtocolMetadata, @unchecked Sendable {
    public let securityProtocolMetadata: sec_protocol_metadata_t

    init(_ metadata: sec_protocol_metadata_t) { securityProtocolMetadata = metadata }
  }
}

public final class NWProtocolTCP {
  public final class Options: NWProtocolOptions, @unchecked Sendable {
    public var noDelay = false
    public var connectionTimeout = 0

    public override init() {}
  }
}

/// Set before a connection or listener is made, and read by it.
public final class NWParameters: @unchecked Sendable {
  let tls: NWProtocolTLS.Options?
  let tcp: NWProtocolTCP.Options

  public var requiredLocalEndpoint: NWEndpoint?
  public var acceptLocalOnly = false
  public var allowLocalEndpointReuse = false
  public var prohibitExpensivePaths = false
  public var prohibitConstrainedPaths = false
  public var preferNoProxies = false

  public init(tls: NWProtocolTLS.Options?, tcp: NWProtocolTCP.Options = NWProtocolTCP.Options()) {
    self.tls = tls
    self.tcp = tcp
  }
}

extension NWParameters {
  /// A new one each time.
  public class var tcp: NWParameters { NWParameters(tls: nil) }
}

/// The state of the fake's network, which tests that run alone may change. Network has nothing of that name.
public enum FakeNetwork {
  nonisolated(unsafe) public static var isExpensive = false
  nonisolated(unsafe) public static var isConstrained = false
  nonisolated(unsafe) public static var deniesLocalNetwork = false
  /// True if there is a Wi-Fi without Internet in addition to the network that the system chooses by itself.
  nonisolated(unsafe) public static var hasWiFiBeside = false
  /// True if a failed handshake is reported as a lost connection.
  nonisolated(unsafe) public static var callsRefusalsResets = false

  /// How many `NWPathMonitor`s go on.
  public static var monitorCount: Int { NWPathMonitor.count }

  /// Has every `NWPathMonitor` tell what it is like by now.
  public static func tellMonitors() { NWPathMonitor.tellAll() }

  static func allows(_ parameters: NWParameters) -> Bool {
    !deniesLocalNetwork && !(isExpensive && parameters.prohibitExpensivePaths)
      && !(isConstrained && parameters.prohibitConstrainedPaths)
  }
}
