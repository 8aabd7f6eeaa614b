package import FootageSystem
package import FootageTLS

/// The reason why a connection ended early.
package enum StreamError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The peer closed or reset the connection, or the network failed; nil if the peer closed it.
  case disconnected(Errno?)
  /// The connection could not be made: refused, no route, or no descriptor left.
  case unreachable(Errno)
  /// The peer did not respond in time.
  case deadlinePassed
  /// This side closed the connection, for example because the server stops.
  case aborted
  /// The peer causes answers at the TLS level but does not read them.
  case peerDoesNotRead
  /// The peer sends too many records without content.
  case emptyRecordFlood
  /// The peer's handshake is longer than that of any real client.
  case handshakeTooLong
  case tls(TLSError)

  package var description: String {
    switch self {
    case .disconnected(nil): "the peer disconnected"
    case .disconnected(let number?): "the peer disconnected: \(number)"
    case .unreachable(let number): "cannot connect: \(number)"
    case .deadlinePassed: "the peer was inactive for too long"
    case .aborted: "the server is stopping"
    case .peerDoesNotRead: "the peer does not read what it is sent"
    case .emptyRecordFlood: "the peer sends empty records"
    case .handshakeTooLong: "the peer's handshake is too long"
    case .tls(let error): error.description
    }
  }
}
