#if !canImport(Network)
/// Keeps other users of this machine out, who may have read a URL in the command line of a player.

internal import FootageServing
internal import FootageSystem

/// Belongs to the proxy's loop, once it is made.
final class PlayerUsers: Sendable {
  /// Why a connection is not served.
  enum Refusal: Hashable, Sendable {
    /// It is this user's.
    case otherUser(UInt32)
    /// It could not be found out whose it is, which it usually can.
    case unknown
  }

  /// Whether the system says whose a connection is. Where it does not, the token alone decides.
  let areKnown: Bool
  private let sockets: SocketTables
  private let ownUser: UInt32
  private let pool: BlockingPool
  private static let rootUser: UInt32 = 0

  /// - Parameters:
  ///   - sockets: where the system says it.
  ///   - listener: a socket of this process, by which it is tried whether anything is said.
  init(
    _ sockets: SocketTables, listeningOn listener: SocketAddress, ownUser: UInt32 = Process.user
  ) throws(NetworkingError) {
    self.sockets = sockets
    self.ownUser = ownUser
    areKnown = sockets.know(listener)
    do throws(SystemError) { pool = try BlockingPool(threadCount: 1) } catch { throw .system(error) }
  }

  /// Whether a connection is somebody else's. Asked once a connection: whose a socket is does not change while it is
  /// open.
  ///
  /// Root may play everything: it can read the app's memory and its cache as well.
  func refusal(of visitor: Visitor) async -> Refusal? {
    guard areKnown else { return nil }
    switch await owner(of: visitor) {
    case .user(ownUser), .user(Self.rootUser): return nil
    case .user(let other): return .otherUser(other)
    // Closed by all who had it, so that nobody is left to read an answer; what the system says of such a socket's user
    // is root on some kernels, and is not to be believed.
    case .nobody, .unknown: return .unknown
    }
  }

  private func owner(of visitor: Visitor) async -> SocketOwner {
    if let known = visitor.owner { return known }
    var owner = sockets.ownerAtOnce(ofPeer: visitor.peer, of: visitor.local)
    if owner == .unknown {
      let (peer, local) = (visitor.peer, visitor.local)
      owner = await pool.run { [sockets] in sockets.ownerFromFiles(ofPeer: peer, of: local) }
    }
    visitor.owner = owner
    return owner
  }
}
#endif
