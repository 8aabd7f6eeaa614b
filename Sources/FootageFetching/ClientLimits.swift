/// Every time-out, size and count of the client's side of HTTP that a server can influence, in one place.
package struct ClientLimits: Sendable {
  /// How long finding the server's addresses may take, and then connecting to all of them together.
  package var connect: Duration = .seconds(10)
  /// How long an attempt to connect has before the host's next address is tried beside it (RFC 8305 §5).
  package var nextAddress: Duration = .milliseconds(250)
  /// How long a TLS handshake may take in all.
  package var handshake: Duration = .seconds(10)
  /// How long the server may say nothing about a client certificate; then the request is sent all the same.
  package var acceptance: Duration = .seconds(2)
  /// How long the server may take nothing of a request.
  package var sending: Duration = .seconds(30)
  /// How long a body is kept back for a server that does not say whether it wants it.
  package var continuing: Duration = .seconds(1)
  /// How long a response's head may take in all, once the request was sent.
  package var head: Duration = .seconds(30)
  /// How long a body may be waited for without `bodyMinimum` bytes having come: who stalls is cut off, and so is who
  /// drips.
  package var bodyIdle: Duration = .seconds(30)
  package var bodyMinimum = 1024
  /// Connections to one server, in use and kept. A further request waits its turn.
  package var connections = 6
  /// How long a request waits its turn without anything having come on the connections of the others: behind a long
  /// download it waits for as long as that goes on, and no longer than that could.
  package var turn: Duration = .seconds(30)
  /// How long a connection is kept without a request; less than servers allow, or it would often be gone.
  package var keptIdle: Duration = .seconds(60)
  /// Plaintext that is handed to a connection in one go, in bytes.
  package static let turn = 256 * 1024
  /// Heads of status 1xx in front of a response.
  package var informationalHeads = 8

  package init() {}

  /// Of whatever connects from here on; a seam, so that a test of something else does not depend on how busy its machine
  /// is.
  @TaskLocal package static var standard = ClientLimits()
}
