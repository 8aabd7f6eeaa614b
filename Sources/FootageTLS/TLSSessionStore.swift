/// Session tickets that spare the next connection the full handshake (RFC 8446 §2.2), each for one use.

internal import CFootageOpenSSL
internal import Synchronization
internal import FootageAPI

/// A session belongs to the policy, the identity and the robot with which it was made: under others it does not exist.
package final class TLSSessionStore: Sendable {
  struct Key: Hashable, Sendable {
    let policy: TrustPolicy
    /// SHA-256 of the client's certificate; nil where there is none.
    let identity: [UInt8]?
    let host: String
    let port: UInt16
  }

  /// Sessions in all, and of one key: as many as a pool may want at once.
  private static let limit = 64
  private static let limitPerKey = 6

  /// The oldest first.
  private let sessions = Mutex<[(key: Key, session: TLSSession)]>([])

  package init() {}

  /// How many wait for their use.
  package var count: Int { sessions.withLock { $0.count } }

  func put(_ session: TLSSession, _ key: Key) {
    sessions.withLock { sessions in
      sessions.append((key, session))
      if sessions.count(where: { $0.key == key }) > Self.limitPerKey,
        let oldest = sessions.firstIndex(where: { $0.key == key })
      {
        sessions.remove(at: oldest)
      }
      if sessions.count > Self.limit { sessions.removeFirst() }
    }
  }

  /// The youngest one, which nobody else gets (RFC 8446 §C.4: who sees a ticket twice can tell that it is one client).
  func take(_ key: Key) -> TLSSession? {
    sessions.withLock { sessions in
      guard let youngest = sessions.lastIndex(where: { $0.key == key }) else { return nil }
      return sessions.remove(at: youngest).session
    }
  }
}

/// Handed from one connection to another, never used by two at once: that makes `@unchecked Sendable` true.
@safe
final class TLSSession: @unchecked Sendable {
  private let handle: OpaquePointer

  /// Takes over the reference.
  init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe SSL_SESSION_free(handle) }

  /// Offers it to a server; that it is not taken is no failure.
  func offer(on ssl: OpaquePointer) {
    guard unsafe SSL_SESSION_is_resumable(handle) == 1 else { return }
    _ = unsafe SSL_set_session(ssl, handle)
  }
}
