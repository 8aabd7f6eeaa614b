internal import FootageFetching
internal import FootageHTTP
internal import FootageServing
internal import FootageSystem
internal import Synchronization

/// The check that keeps out other users of this machine, who may have read a URL in the command line of a player.
final class PlayerUsers: Sendable {
  private let sockets: SocketTables
  private let ownUser: UInt32
  /// True if the system reports the users of connections. It is true at first, so that unknown users are refused.
  private let known = Mutex(true)
  /// A pool for reading the files with the users, if the kernel does not report them directly. It is created when it is
  /// needed.
  private let pool = Mutex<BlockingPool?>(nil)

  private static let rootUser: UInt32 = 0

  /// - Parameter sockets: the system's tables with the users of connections.
  init(_ sockets: SocketTables = .system, ownUser: UInt32 = Process.user) {
    self.sockets = sockets
    self.ownUser = ownUser
  }

  /// True if the system reports the users of connections, for use before the proxy listens. It is also true if nothing
  /// can be listened on, because then no client is served.
  static var areKnownHere: Bool {
    let address = SocketAddress(addressBytes: [127, 0, 0, 1], port: 0)
    guard let listener = try? ListeningSocket(address, unsentLimit: TransportLimits().unsentBytes) else { return true }
    return SocketTables.system.know(listener.address)
  }

  /// True if the system reports the users of connections.
  var areKnown: Bool { known.withLock { $0 } }

  /// Determines whether the system reports the user of a socket of this process. It may read files.
  ///
  /// - Parameter port: the port on 127.0.0.1 on which this process is listening.
  func learn(listeningOn port: UInt16?) {
    guard let port else { return }
    let areKnown = sockets.know(SocketAddress(addressBytes: [127, 0, 0, 1], port: port))
    known.withLock { $0 = areKnown }
  }

  private func ownerFromFiles(ofPeer peer: SocketAddress, of local: SocketAddress) async -> SocketOwner {
    let pool = pool.withLock { pool in
      if pool == nil { pool = try? BlockingPool(threadCount: 1) }
      return pool
    }
    return await pool?.run { [sockets] in sockets.ownerFromFiles(ofPeer: peer, of: local) } ?? .unknown
  }

  /// The player at the other end of a connection, whose user is checked. Only the proxy's loop uses it.
  final class Player {
    private let users: PlayerUsers
    private let local: SocketAddress?
    private let peer: SocketAddress
    /// The owner of the socket, which does not change while the socket is open.
    private var known: SocketOwner?

    init(_ connection: AcceptedConnection, _ users: PlayerUsers) {
      self.users = users
      local = connection.local
      peer = connection.peer
    }

    /// Returns the answer to a user other than this process's; nil if the user may play.
    ///
    /// Root may play everything, because it can read the app's memory and cache anyway.
    func refusal() async -> HTTPDocument? {
      guard let local else { return PlayerUsers.unknownUser }
      guard users.areKnown else { return nil }
      switch await owner(of: local) {
      case .user(users.ownUser), .user(PlayerUsers.rootUser): return nil
      case .user(let other): return PlayerUsers.otherUser(other)
      // All processes that had the socket have closed it, so none is left to read an answer. Some kernels report root
      // as the user of such a socket, which must not be believed.
      case .nobody, .unknown: return PlayerUsers.unknownUser
      }
    }

    private func owner(of local: SocketAddress) async -> SocketOwner {
      if let known { return known }
      var owner = users.sockets.ownerAtOnce(ofPeer: peer, of: local)
      if owner == .unknown { owner = await users.ownerFromFiles(ofPeer: peer, of: local) }
      known = owner
      return owner
    }
  }

  private static let unknownUser = HTTPProblem(
    status: .forbidden, code: "unknown-user",
    detail: "The user of this connection could not be determined: try again."
  ).document

  private static func otherUser(_ user: UInt32) -> HTTPDocument {
    HTTPProblem(
      status: .forbidden, code: "other-user",
      detail: """
        Only the user who opened this recording may play it, and this connection belongs to user number \(user): run the \
        player as the user who opened it, or allow other users in the app.
        """
    ).document
  }
}
