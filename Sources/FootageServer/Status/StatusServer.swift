internal import Formats
internal import HTTPTransport
internal import Networking
internal import Storage
internal import FootageSystem

/// Lets others on this machine ask how the server is: over a socket that `footage status` knows, and where the operator
/// wants it beside that.
final class StatusServer: Sendable {
  private let http: HTTPServer<StatusHandler>
  private let sockets: [LocalListener]

  /// The socket's folder and this decide who may ask.
  private static let mode: UInt32 = 0o660
  private static let limits = {
    var limits = TransportLimits()
    limits.connections = 6
    limits.connectionsPerAddress = .none
    limits.idle = .seconds(75)
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
        ServerError.networking, try ListeningSocket.listen(at: address, unsentLimit: limits.unsentBytes))
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
    listeners += sockets.map(\.socket)
    guard !listeners.isEmpty else { return nil }
    let places = sockets.map(\.path) + listeners.filter { $0.address.port != 0 }.map { "http://\($0.address)/" }
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
    http = HTTPServer(
      listening: listeners, loops: Array(loops.prefix(1)), tls: nil, limits: Self.limits,
      log: { event in log(.debug, "status: \(event)") }, makeHandler: { _ in makeHandler() })
  }

  func start() { http.start() }

  /// Ends at once: who asks gets no answer any more.
  func stop() {
    for socket in sockets { socket.remove() }
    http.abort()
  }

  /// How many connections it may have.
  static var descriptorCount: Int { limits.connections + 2 }
}
