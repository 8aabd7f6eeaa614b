internal import FootageBase
internal import FootageServing
internal import FootageSystem

/// A server that serves the status of the main server to other programs on this machine. It listens on a socket that
/// `footage status` knows, and also at a second place if the operator has chosen one.
final class StatusServer: Sendable {
  /// The servers, each with connections of its own. If a client uses all connections of one place, other clients can
  /// still use the other place.
  private let servers: [HTTPServer<StatusHandler>]
  private let sockets: [LocalListener]

  /// The mode of the socket. Together with the mode of its folder, it determines which users may ask for the status.
  private static let mode: UInt32 = 0o660
  /// The limits for a socket with a path.
  private static let socketLimits = {
    var limits = TransportLimits()
    limits.connections = 8
    limits.connectionsPerAddress = .none
    limits.idle = .seconds(75)
    return limits
  }()
  /// The limits for an address, which every user of the machine can reach. Requests with a body are not accepted.
  private static let addressLimits = {
    var limits = socketLimits
    limits.connections = 6
    limits.request = .seconds(2)
    // A connection with no request, or half of one, soon loses its place to another one that needs it. From this
    // machine, a request arrives together with its connection.
    limits.room.waiting = .milliseconds(100)
    limits.room.interval = .milliseconds(20)
    limits.droppedBodyBytes = 0
    return limits
  }()

  /// - Parameters:
  ///   - socket: the socket for `footage status`; nil for none. A failure to listen there is only logged.
  ///   - further: the place that the operator has chosen. A failure to listen there is thrown.
  ///   - loops: the loops of the server. The first loop serves the status.
  /// - Returns: nil if there is no place to listen at.
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
            ? "another server answers on \(socket.path), and footage status asks that one: use --status-listen to give "
              + "this one its own socket"
            : "footage status cannot reach this server: \(socket.path): \(error)")
      }
    }
    guard !listeners.isEmpty || !sockets.isEmpty else { return nil }
    let places = sockets.map(\.path) + listeners.map { "http://\($0.address)/" }
    log(.info, "the server's status is available on this machine at \(places.joined(separator: ", "))")
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

  /// Stops at once. Running requests get no answer.
  func stop() {
    for socket in sockets { socket.remove() }
    for server in servers { server.abort() }
  }

  /// The maximum number of connections, at the server's own socket and at the place that the operator has chosen.
  static var descriptorCount: Int { 2 * socketLimits.connections + 4 }
}
