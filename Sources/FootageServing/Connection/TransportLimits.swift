/// All time-outs, sizes and counts on the server's side of HTTP that a peer can influence, in one place.
package struct TransportLimits: Sendable {
  /// The time allowed for a whole TLS handshake.
  package var handshake: Duration = .seconds(10)
  /// The largest head that is answered for a client without a certificate, if one is required, in bytes.
  package var uncertifiedHeadBytes = 4 * 1024
  /// The time allowed for a request's head, and again for its body, from the first byte on.
  package var request: Duration = .seconds(10)
  /// The longest time that a connection may stay without a request.
  package var idle: Duration = .seconds(75)
  /// The longest time in which the peer may accept no byte of a response.
  package var writing: Duration = .seconds(60)
  /// The time that a connection is kept open after the last answer, so that the peer can read it.
  package var lingering: Duration = .seconds(2)
  /// The largest number of bytes that are read and discarded during `lingering`.
  package var lingeringBytes = 64 * 1024
  /// The largest rest of a request body, in bytes, that is read and discarded so that the connection can be kept.
  package var droppedBodyBytes: UInt64 = 64 * 1024
  /// The largest number of connections at the same time, from all addresses together.
  package var connections = 1024
  /// The limit of connections from one address.
  package var connectionsPerAddress = AddressLimit.quarter
  /// The limits of connections from which the handler has not accepted a request yet; nil if it accepts all
  /// connections.
  package var newcomers: NewcomerLimits?
  /// The limits by which connections are selected to be closed, to make room for new ones.
  package var room = RoomLimits()
  /// The number of bytes that the kernel may hold unsent for one connection.
  package var unsentBytes = 256 * 1024
  /// The limits of the sending rate; nil for none.
  package var pacing: PacingLimits?

  package init() {}

  /// The number of bytes that the kernel may hold unsent for one connection, at the present rate.
  package var unsentLimit: Int { pacing?.unsentByteCount(atMost: unsentBytes) ?? unsentBytes }
}

/// The limits of connections from which the handler has not accepted a request yet. They have their own places, so that
/// they never displace accepted connections.
package struct NewcomerLimits: Sendable {
  /// The number allowed on each loop. If there is one more, the oldest is closed.
  package var count = 64
  /// The time from the beginning of a connection until a request must be accepted. It is checked once a second.
  package var patience: Duration = .seconds(2)

  package init() {}
}
