internal import FootageBase
internal import FootageServing
internal import FootageSystem

/// Lets others on this machine ask how the server is: over a socket that `footage status` knows, and where the operator
/// wants it beside that.
final class StatusServer: Sendable {
  /// Each has places of its own: who holds those of one place keeps nobody from asking at another.
  private let servers: [HTTPServer<StatusHandler>]
  private let sockets: [LocalListener]

  /// The socket's folder and this decide who may ask.
  private static let mode: UInt32 = 0o660
  /// Of a socket with a path.
  private static let socketLimits = {
    var limits = TransportLimits()
    limits.connections = 8
    limits.connectionsPerAddress = .none
    limits.idle = .seconds(75)
    return limits
  }()
  /// Of an address, which every user of the machine reaches. There are no requests with a body.
  private static let addressLimits = {
    var limits = socketLimits
    limits.connections = 6
    limits.request = .seconds(2)
    // Who says nothing, or half of something, goes soon where another one wants the place: from this machine a request is
    // there with its connection.
    limits.room.waiting = .milliseconds(100)
    limits.room.interval = .milliseconds(20)
    limits.droppedBodyBytes = 0
    return limits
  }()

  /// - Parameters:
  ///   - socket: where `footage status` asks; nil for nowhere. What fails about it is said, and nothing else.
  ///   - further: where the operator wants it; what fails about it is thrown.
  ///   - loops: the first of them serves.
  /// - Returns: nil where nobody could ask.
  static func make(
    at socket: (folder: String, path: String)?, and further: StatusPlace?, on loops: [EventLoop], log: Log,
    makeHandler: @escaping () -> StatusHandler
  ) throws(ServerError) -> StatusServer? {
    var sockets: [LocalListener] = []
    var listeners: [ListeningSocket] = []
    switch further {
    case .path(let path):
      do throws(Errno) { sockets.append(try LocalListener(path, mode: mode)) } catch {
        throw .status(path: path, error)
      }
    case .address(let address):
      listeners += try mapError(
        ServerError.networking, try ListeningSocket.listen(at: address, unsentLimit: addressLimits.unsentBytes))
    case nil: break
    }
    if let socket {
      do throws(Errno) {
        sockets.append(try inFolder(socket))
      } catch {
        let isHeld = error == .addressInUse
        log(
          isHeld ? .info : .warning,
          isHeld
            ? "another server answers on \(socket.path): footage status asks that one, unless --status-listen gives this "
              + "one a socket of its own"
            : "footage status cannot ask this server: \(socket.path): \(error)")
      }
    }
    guard !listeners.isEmpty || !sockets.isEmpty else { return nil }
    let places = sockets.map(\.path) + listeners.map { "http://\($0.address)/" }
    log(.info, "whoever is on this machine may ask how the server is: \(places.joined(separator: ", "))")
    return StatusServer(listeners, sockets, loops, log, makeHandler)
  }

  private static func inFolder(_ socket: (folder: String, path: String)) throws(Errno) -> LocalListener {
    do throws(StorageError) { try FileTree.createFolder(socket.folder) } catch {
      guard case .system(let number) = error.reason else { throw .notAFolder }
      throw number
    }
    return try LocalListener(socket.path, mode: mode)
  }

  private init(
    _ listeners: [ListeningSocket], _ sockets: [LocalListener], _ loops: [EventLoop], _ log: Log,
    _ makeHandler: @escaping () -> StatusHandler
  ) {
    self.sockets = sockets
    var places: [(listeners: [ListeningSocket], limits: TransportLimits)] = sockets.map {
      ([$0.socket], Self.socketLimits)
    }
    if !listeners.isEmpty { places.append((listeners, Self.addressLimits)) }
    servers = places.map { place in
      HTTPServer(
        listening: place.listeners, loops: Array(loops.prefix(1)), tls: nil, limits: place.limits,
        log: { event in log(.debug, "status: \(event)") }, makeHandler: { _ in makeHandler() })
    }
  }

  func start() { for server in servers { server.start() } }

  /// Ends at once: who asks gets no answer any more.
  func stop() {
    for socket in sockets { socket.remove() }
    for server in servers { server.abort() }
  }

  /// How many connections it may have: at its own socket, and where the operator wants it.
  static var descriptorCount: Int { 2 * socketLimits.connections + 4 }
}
