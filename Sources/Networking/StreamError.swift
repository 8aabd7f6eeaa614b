/// How a connection ended before its time.

package import TLS

package enum StreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The peer closed or reset it, or the network did.
  case disconnected(errorNumber: CInt)
  /// There was never a connection: refused, no route, or no descriptor left.
  case unreachable(errorNumber: CInt)
  /// The peer did nothing for too long.
  case deadlinePassed
  /// This side gave it up: the server stops.
  case aborted
  /// The peer makes us answer and does not read the answers.
  case peerDoesNotRead
  /// The peer sends records, and nothing in them.
  case peerSaysNothing
  /// The peer's handshake is longer than any honest one.
  case handshakeTooLong
  case tls(TLSError)

  package var description: String {
    switch self {
    case .disconnected(let number): number == 0 ? "the peer went away" : "the peer went away: \(words(for: number))"
    case .unreachable(let number): "no connection: \(words(for: number))"
    case .deadlinePassed: "the peer did nothing for too long"
    case .aborted: "the server stops"
    case .peerDoesNotRead: "the peer does not read what it is sent"
    case .peerSaysNothing: "the peer sends records with nothing in them"
    case .handshakeTooLong: "the peer's handshake is longer than any honest one"
    case .tls(let error): error.description
    }
  }
}
