internal import FootageServing
internal import FootageSystem
internal import FootageTLS
internal import FootageAPI

/// A maker of connections to one host. It finds the host's addresses, tries them, and performs the TLS handshake with
/// the one that answers. Belongs to its loop's thread.
final class HostConnector: ConnectionMaker {
  private let host: String
  /// The host without an interface's name, which has a meaning on this machine alone (RFC 6874 §1).
  private let hostName: String
  private let port: UInt16
  private let tls: TLSClientContext?
  private let limits: ClientLimits
  private let loop: EventLoop
  private let resolver: HostResolver
  private let sendingRate: SendingRate?
  private let onWarning: @Sendable (TrustWarning) -> Void
  /// The host's address that answered last. It is tried before the others.
  private var lastAddress: SocketAddress?
  /// The numbers of connections made since the beginning.
  private(set) var statistics = ConnectionStatistics()

  /// - Parameters:
  ///   - host: a name or an address without brackets; an IPv6 address may end with `%` and an interface.
  ///   - tls: nil for plain HTTP.
  ///   - sendingRate: the rate that its connections share; nil for no limit.
  ///   - onWarning: called with each fault of the server's certificate that was tolerated.
  init(
    to host: String, port: UInt16, tls: TLSClientContext?, on loop: EventLoop, resolver: HostResolver,
    limits: ClientLimits, sendingRate: SendingRate?, onWarning: @escaping @Sendable (TrustWarning) -> Void
  ) {
    self.host = host
    hostName = String(host.prefix { $0 != "%" })
    self.port = port
    self.tls = tls
    self.loop = loop
    self.resolver = resolver
    self.limits = limits
    self.sendingRate = sendingRate
    self.onWarning = onWarning
  }

  /// Finds the host's addresses and connects to the first of them that answers.
  ///
  /// - Parameters:
  ///   - duration: the time for both together; nil for the two separate times in the limits.
  ///   - actor: an actor on the loop.
  func connect(
    for handle: AbortHandle, within duration: Duration?, on actor: isolated any Actor
  ) async throws(HTTPClientError) -> any ByteConnection {
    let shared = duration.map { loop.clock.deadline(after: min($0, limits.connect)) }
    let found = await resolver.addresses(
      of: host, port: port, until: shared ?? loop.clock.deadline(after: limits.connect), on: loop)
    guard let found else { throw .timedOut(.name) }
    var addresses: [SocketAddress]
    do throws(NetworkingError) { addresses = try found.get() } catch { throw .nameNotFound(error.description) }
    let deadline = shared ?? loop.clock.deadline(after: limits.connect)
    var failure = HTTPClientError.nameNotFound("\(host) has no address")
    while !addresses.isEmpty {
      let socket = try await connect(to: addresses, until: deadline, for: handle, on: actor)
      do throws(StreamError) { return try await greet(socket, for: handle) } catch {
        lastAddress = nil
        switch error {
        case .aborted: throw .cancelled
        case .deadlinePassed: failure = .timedOut(.connection)
        // The next address would be the same server, or the same impostor.
        case .tls(let error) where error != .disconnected: throw .tls(TLSFailure(error))
        default: failure = .unreachable(socket.peer.description, ConnectionError(error))
        }
        addresses.removeAll { $0 == socket.peer }
      }
    }
    throw failure
  }

  /// The attempts to connect that run side by side.
  private final class Attempts {
    private var attempts: [(connector: TCPConnector, task: Task<Void, Never>)] = []
    private var ended: [(address: SocketAddress, outcome: Result<Socket, StreamError>)] = []
    private var waiter: CheckedContinuation<Void, Never>?
    /// True once an attempt has won, or once the result is no longer wanted. Later results are discarded.
    private var isOver = false

    func add(_ connector: TCPConnector, _ task: Task<Void, Never>) { attempts.append((connector, task)) }

    func end(_ address: SocketAddress, _ outcome: Result<Socket, StreamError>) {
      guard !isOver else { return }
      ended.append((address, outcome))
      wake()
    }

    func nextEnded() -> (address: SocketAddress, outcome: Result<Socket, StreamError>)? {
      ended.isEmpty ? nil : ended.removeFirst()
    }

    func wait() async { await withCheckedContinuation { waiter = $0 } }

    func wake() {
      waiter?.resume()
      waiter = nil
    }

    func abort() {
      for (connector, task) in attempts {
        connector.abort()
        task.cancel()
      }
      attempts = []
      ended = []
      isOver = true
      wake()
    }
  }

  /// Connects to the address that answers first (RFC 8305 §5), and abandons the other attempts.
  private func connect(
    to addresses: [SocketAddress], until deadline: Deadline, for handle: AbortHandle, on actor: isolated any Actor
  ) async throws(HTTPClientError) -> Socket {
    var race = AddressRace(addresses, first: lastAddress, pause: Deadline.Delay(limits.nextAddress))
    let attempts = Attempts()
    handle.abort = { attempts.abort() }
    defer { attempts.abort() }
    var failure = HTTPClientError.timedOut(.connection)
    while true {
      guard !handle.isCancelled else { throw .cancelled }
      if let (address, outcome) = attempts.nextEnded() {
        switch outcome {
        case .success(let socket):
          lastAddress = address
          return socket
        case .failure(let error):
          if lastAddress == address { lastAddress = nil }
          failure =
            error == .deadlinePassed
            ? .timedOut(.connection) : .unreachable(address.description, ConnectionError(error))
          race.failed()
        }
        continue
      }
      let now = loop.clock.now
      guard now < deadline else {
        // The preferred address was tried and did not answer, so it is no longer preferred.
        if race.hasBegun(lastAddress) { lastAddress = nil }
        throw .timedOut(.connection)
      }
      switch race.step(at: now) {
      case .begin(let address): begin(address, attempts, on: actor)
      case .wait(let moment):
        let timer = loop.schedule(at: min(moment, deadline)) { attempts.wake() }
        await attempts.wait()
        timer.cancel()
      case .lost: throw failure
      }
    }
  }

  private func begin(_ address: SocketAddress, _ attempts: Attempts, on actor: isolated any Actor) {
    do throws(StreamError) {
      let connector = try TCPConnector(to: address, on: loop)
      // The task ends with its connector, which the attempts abort.
      let attempt = Task {
        do throws(StreamError) {
          attempts.end(address, .success(try await connector.finish(until: .never)))
        } catch {
          attempts.end(address, .failure(error))
        }
        _ = actor
      }
      attempts.add(connector, attempt)
    } catch {
      attempts.end(address, .failure(error))
    }
  }

  /// Performs the TLS handshake, if the connection uses TLS.
  private func greet(_ socket: Socket, for handle: AbortHandle) async throws(StreamError) -> StreamConnection {
    guard !handle.isCancelled else { throw .aborted }
    sendingRate?.limit(socket)
    let stream = try Stream(socket, connecting: tls, to: hostName, port: port, on: loop)
    handle.abort = { stream.abort() }
    do throws(StreamError) {
      try await stream.handshake(until: loop.clock.deadline(after: limits.handshake))
      try await stream.waitForAcceptance(until: loop.clock.deadline(after: limits.acceptance))
    } catch {
      stream.abort()
      throw error
    }
    statistics.connections += 1
    if stream.isResumed { statistics.resumed += 1 }
    for warning in stream.trustWarnings { onWarning(warning) }
    return StreamConnection(stream)
  }
}
