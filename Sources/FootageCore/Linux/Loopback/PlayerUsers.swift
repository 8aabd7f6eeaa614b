internal import FootageFetching
internal import FootageHTTP
internal import FootageServing
internal import FootageSystem
internal import Synchronization

/// Keeps other users of this machine out, who may have read a URL in the command line of a player.
final class PlayerUsers: Sendable {
  private let sockets: SocketTables
  private let ownUser: UInt32
  /// Until something else is learnt, whoever is not known is refused.
  private let known = Mutex(true)
  /// Reads the files that say it, where the kernel does not. Made when it is needed.
  private let pool = Mutex<BlockingPool?>(nil)

  private static let rootUser: UInt32 = 0

  /// - Parameter sockets: where the system says whose a connection is.
  init(_ sockets: SocketTables = .system, ownUser: UInt32 = Process.user) {
    self.sockets = sockets
    self.ownUser = ownUser
  }

  /// The same where nothing listens yet. Where there is nothing to listen on, nobody is served.
  static var areKnownHere: Bool {
    let address = SocketAddress(addressBytes: [127, 0, 0, 1], port: 0)
    guard let listener = try? ListeningSocket(address, unsentLimit: TransportLimits().unsentBytes) else { return true }
    return SocketTables.system.know(listener.address)
  }

  /// Whether the system says whose a connection is.
  var areKnown: Bool { known.withLock { $0 } }

  /// Finds out whether anything is said of a socket that is this process's own. May read files.
  ///
  /// - Parameter port: where it listens on 127.0.0.1 just now.
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

  /// A connection's user. Belongs to the proxy's loop.
  final class Player {
    private let users: PlayerUsers
    private let local: SocketAddress?
    private let peer: SocketAddress
    /// Whose a socket is does not change while it is open.
    private var known: SocketOwner?

    init(_ connection: AcceptedConnection, _ users: PlayerUsers) {
      self.users = users
      local = connection.local
      peer = connection.peer
    }

    /// The answer to whoever is another user than this process's; nil where it is this one.
    ///
    /// Root may play everything: it can read the app's memory and its cache as well.
    func refusal() async -> HTTPDocument? {
      guard let local else { return PlayerUsers.unknownUser }
      guard users.areKnown else { return nil }
      switch await owner(of: local) {
      case .user(users.ownUser), .user(PlayerUsers.rootUser): return nil
      case .user(let other): return PlayerUsers.otherUser(other)
      // Closed by all who had it, so that nobody is left to read an answer; what the system says of such a socket's user
      // is root on some kernels, and is not to be believed.
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
    detail: "It could not be found out which user's connection this is: ask again."
  ).document

  private static func otherUser(_ user: UInt32) -> HTTPDocument {
    HTTPProblem(
      status: .forbidden, code: "other-user",
      detail: """
        Only programs of the user who opened this recording may play it, and this one is of user number \(user): run the \
        player as that user, or have the app let other users in.
        """
    ).document
  }
}
