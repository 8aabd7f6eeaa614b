/// Session tickets that spare the next connection the full handshake (RFC 8446 §2.2), each for a single use.

internal import CFootageOpenSSL
internal import Synchronization
internal import FootageAPI

/// A store of sessions. Each one belongs to the policy, the identity and the robot with which it was made, and is not
/// used with others.
package final class TLSSessionStore: Sendable {
  struct Key: Hashable, Sendable {
    let policy: TrustPolicy
    /// The SHA-256 of the client's certificate; nil if there is none.
    let identity: [UInt8]?
    let host: String
    let port: UInt16
  }

  /// The most sessions in all. `limitPerKey` is the most for one key: as many as a pool may want at once.
  private static let limit = 64
  private static let limitPerKey = 6

  /// The sessions, oldest first.
  private let sessions = Mutex<[(key: Key, session: TLSSession)]>([])

  package init() {}

  /// The number of sessions waiting to be used.
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

  /// Removes and returns the newest session, so that no other connection gets it (RFC 8446 §C.4: an observer who sees a
  /// ticket twice can tell that both connections belong to one client).
  func take(_ key: Key) -> TLSSession? {
    sessions.withLock { sessions in
      guard let youngest = sessions.lastIndex(where: { $0.key == key }) else { return nil }
      return sessions.remove(at: youngest).session
    }
  }
}

/// A session that passes from one connection to another, and is never used by two at once. That makes
/// `@unchecked Sendable` true.
@safe
final class TLSSession: @unchecked Sendable {
  private let handle: OpaquePointer

  /// Creates a session that takes over the reference.
  init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe SSL_SESSION_free(handle) }

  /// Offers the session to a server, which may decline it without a failure.
  func offer(on ssl: OpaquePointer) {
    guard unsafe SSL_SESSION_is_resumable(handle) == 1 else { return }
    _ = unsafe SSL_set_session(ssl, handle)
  }
}
