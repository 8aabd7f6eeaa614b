/// Every time-out, size and count of the server's side of HTTP that a peer can influence, in one place.
package struct TransportLimits: Sendable {
  /// How long a TLS handshake may take in all.
  package var handshake: Duration = .seconds(10)
  /// How large the one head may be that a client without a certificate is answered, where one is required.
  package var uncertifiedHeadBytes = 4 * 1024
  /// How long a request's head and its body may take, from the first byte on.
  package var request: Duration = .seconds(10)
  /// How long a connection may stay without a request.
  package var idle: Duration = .seconds(75)
  /// How long the peer may take nothing of a response.
  package var writing: Duration = .seconds(60)
  /// How long a connection is kept open after the last answer, so that the peer gets to read it.
  package var lingering: Duration = .seconds(2)
  /// How much is read and dropped meanwhile.
  package var lingeringBytes = 64 * 1024
  /// A request body up to this size is read and dropped, so that the connection can be kept.
  package var droppedBodyBytes: UInt64 = 64 * 1024
  /// Connections in all.
  package var connections = 1024
  /// Connections from one address.
  package var connectionsPerAddress = AddressLimit.quarter
  /// What connections may do until the handler lets them in; nil where it lets in everybody.
  package var newcomers: NewcomerLimits?
  /// When connections are given up to make room for others.
  package var room = RoomLimits()
  /// Bytes that the kernel may hold unsent for one connection.
  package var unsentBytes = 256 * 1024
  /// How fast to send; nil for as fast as it goes.
  package var pacing: PacingLimits?

  package init() {}

  /// Bytes that the kernel may hold unsent for one connection, at the rate that there is.
  package var unsentLimit: Int { pacing?.unsentByteCount(atMost: unsentBytes) ?? unsentBytes }
}

/// What holds for connections that the handler has not let in yet. They have places of their own, so that those who
/// were let in lose none to them.
package struct NewcomerLimits: Sendable {
  /// How many there may be on each loop. One more, and the one that came first has to go.
  package var count = 64
  /// How long they have, from their beginning to a request that lets them in; looked at once a second.
  package var patience: Duration = .seconds(2)

  package init() {}
}
