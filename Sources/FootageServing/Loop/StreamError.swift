package import FootageSystem
package import FootageTLS

/// The reason why a connection ended before its time.
package enum StreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The peer closed or reset it, or the network did; nil if it was closed.
  case disconnected(Errno?)
  /// There was never a connection: refused, no route, or no descriptor left.
  case unreachable(Errno)
  /// The peer did nothing for too long.
  case deadlinePassed
  /// This side gave it up, because the server stops.
  case aborted
  /// The peer makes this side answer and does not read the answers.
  case peerDoesNotRead
  /// The peer sends records with nothing in them.
  case emptyRecordFlood
  /// The peer's handshake is longer than any honest one.
  case handshakeTooLong
  case tls(TLSError)

  package var description: String {
    switch self {
    case .disconnected(nil): "the peer went away"
    case .disconnected(let number?): "the peer went away: \(number)"
    case .unreachable(let number): "no connection: \(number)"
    case .deadlinePassed: "the peer did nothing for too long"
    case .aborted: "the server stops"
    case .peerDoesNotRead: "the peer does not read what it is sent"
    case .emptyRecordFlood: "the peer sends records with nothing in them"
    case .handshakeTooLong: "the peer's handshake is longer than any honest one"
    case .tls(let error): error.description
    }
  }
}
