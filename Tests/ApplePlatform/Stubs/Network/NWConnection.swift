public import Dispatch
public import Foundation
internal import Synchronization

/// Network's `NWConnection`: a thread of its own with a socket and OpenSSL, which calls back on the queue that it was
/// started on.
///
/// As Apple's it waits, and does not fail, where nobody answers or the server is not trusted; it calls every completion
/// once, whatever becomes of it; and it hands out what came before an end first.
public final class NWConnection: @unchecked Sendable {
  public enum State: Equatable, Sendable {
    case setup
    case waiting(NWError)
    case preparing
    case ready
    case failed(NWError)
    case cancelled
  }

  public final class ContentContext: Sendable {
    public static let defaultMessage = ContentContext()
  }

  public enum SendCompletion: Sendable {
    case contentProcessed(@Sendable (NWError?) -> Void)
    case idempotent
  }

  public typealias ReceiveCompletion = @Sendable (Data?, ContentContext?, Bool, NWError?) -> Void

  let link: Link
  private let handler = Mutex<(@Sendable (State) -> Void)?>(nil)
  private let told = Mutex(State.setup)

  public let endpoint: NWEndpoint
  public let parameters: NWParameters

  public init(to: NWEndpoint, using: NWParameters) {
    endpoint = to
    parameters = using
    link = Link(.connecting(to), using)
  }

  /// One that a listener has accepted.
  init(accepted descriptor: Int32, _ endpoint: NWEndpoint, using: NWParameters) {
    self.endpoint = endpoint
    parameters = using
    link = Link(.accepted(descriptor), using)
  }

  deinit { link.cancel(isForced: true) }

  public var stateUpdateHandler: (@Sendable (State) -> Void)? {
    get { handler.withLock { $0 } }
    set { handler.withLock { $0 = newValue } }
  }

  /// The state that its handler was told last.
  public var state: State { told.withLock { $0 } }

  public var currentPath: NWPath? {
    var (host, port) = endpoint.place
    // Whoever was found by Bonjour is said with the interface.
    if case .service = endpoint, let found = IPv4Address("\(host)%lo0") { host = .ipv4(found) }
    return NWPath(to: .hostPort(host: host, port: port))
  }

  public func start(queue: DispatchQueue) {
    link.start(on: queue) { [weak self] state in
      guard let self else { return }
      told.withLock { $0 = state }
      stateUpdateHandler?(state)
    }
  }

  public func cancel() { link.cancel(isForced: false) }

  public func forceCancel() { link.cancel(isForced: true) }

  public func receive(
    minimumIncompleteLength: Int, maximumLength: Int, completion: @escaping ReceiveCompletion
  ) {
    precondition(minimumIncompleteLength == 1, "the fake hands out what there is")
    link.receive(upTo: maximumLength, completion)
  }

  public func send(
    content: Data?, contentContext: ContentContext = .defaultMessage, isComplete: Bool = true,
    completion: SendCompletion
  ) {
    link.send(content ?? Data(), completion)
  }

  public func metadata(definition: NWProtocolDefinition) -> NWProtocolMetadata? {
    definition === NWProtocolTLS.definition ? link.metadata.map(NWProtocolTLS.Metadata.init) : nil
  }
}
