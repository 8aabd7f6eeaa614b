public import Security
@_exported import Dispatch
public enum NWError: Error, Equatable, Sendable { case posix(Int32), dns(Int32), tls(OSStatus) }
public enum NWEndpoint: Hashable, Sendable {
  case hostPort(host: Host, port: Port)
  public enum Host: Hashable, Sendable {
    case name(String), ipv4(IPv4Address), ipv6(IPv6Address); public init(_ s: String) { self = .name(s) }
  }
  public struct Port: Hashable, Sendable {
    public let rawValue: UInt16; public static let any = Port(number: 0);
    public init?(rawValue: UInt16) { self.rawValue = rawValue }; private init(number: UInt16) { rawValue = number }
  }
}
public struct IPv4Address: Hashable, Sendable { public static let loopback = IPv4Address() }
public struct IPv6Address: Hashable, Sendable {}
public class NWProtocolOptions {}
public class NWProtocolMetadata {}
public final class NWProtocolDefinition: Sendable {}
public class NWProtocolTLS {
  public static let definition: NWProtocolDefinition = { NWProtocolDefinition() }()
  public class Options: NWProtocolOptions {
    public override init() {}; public var securityProtocolOptions: sec_protocol_options_t { SecProtocolOptions() }
  }
  public class Metadata: NWProtocolMetadata {
    public var securityProtocolMetadata: sec_protocol_metadata_t { SecProtocolMetadata() }
  }
}
public class NWProtocolTCP {
  public class Options: NWProtocolOptions {
    public override init() {}; public var noDelay = false; public var connectionTimeout = 0
  }
}
public final class NWParameters {
  public init(tls: NWProtocolTLS.Options?, tcp: NWProtocolTCP.Options = .init()) {}
  public var requiredLocalEndpoint: NWEndpoint?; public var acceptLocalOnly = false;
  public var allowLocalEndpointReuse = false; public var prohibitExpensivePaths = false;
  public var prohibitConstrainedPaths = false; public var preferNoProxies = false
}
public final class NWConnection: @unchecked Sendable {
  public enum State: Equatable, Sendable { case setup, waiting(NWError), preparing, ready, failed(NWError), cancelled }
  public final class ContentContext: Sendable { public static let defaultMessage = ContentContext() }
  public enum SendCompletion { case contentProcessed(@Sendable (NWError?) -> Void), idempotent }
  public init(to: NWEndpoint, using: NWParameters) {}
  public var stateUpdateHandler: (@Sendable (State) -> Void)? {
    get { nil }
    set {}
  }
  public func start(queue: DispatchQueue) {}
  public func cancel() {}
  public func forceCancel() {}
  public func receive(
    minimumIncompleteLength: Int, maximumLength: Int,
    completion: @escaping @Sendable (Data?, ContentContext?, Bool, NWError?) -> Void
  ) {}
  public func send(
    content: Data?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
    completion: SendCompletion
  ) {}
  public func metadata(definition: NWProtocolDefinition) -> NWProtocolMetadata? { nil }
}
public final class NWListener: @unchecked Sendable {
  public enum State: Equatable, Sendable { case setup, waiting(NWError), ready, failed(NWError), cancelled }
  public init(using: NWParameters, on: NWEndpoint.Port = .any) throws {}
  public var stateUpdateHandler: (@Sendable (State) -> Void)? {
    get { nil }
    set {}
  }
  public var newConnectionHandler: (@Sendable (NWConnection) -> Void)? {
    get { nil }
    set {}
  }
  public var port: NWEndpoint.Port? { nil }
  public func start(queue: DispatchQueue) {}
  public func cancel() {}
}
