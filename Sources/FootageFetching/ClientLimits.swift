/// All time-outs, sizes and counts on the client's side of HTTP that a server can influence, in one place.
package struct ClientLimits: Sendable {
  /// The time allowed for finding the server's addresses, and then again for connecting to all of them together.
  package var connect: Duration = .seconds(10)
  /// The time that one attempt to connect has before the host's next address is tried beside it (RFC 8305 §5).
  package var nextAddress: Duration = .milliseconds(250)
  /// The time allowed for a whole TLS handshake.
  package var handshake: Duration = .seconds(10)
  /// The time for which the server may leave it open whether it accepts the client certificate. The request is then
  /// sent all the same.
  package var acceptance: Duration = .seconds(2)
  /// The longest time in which the server may accept no byte of a request.
  package var sending: Duration = .seconds(30)
  /// The time for which a body is kept back if the server does not say whether it wants the body.
  package var continuing: Duration = .seconds(1)
  /// The time allowed for a whole response head, once the request was sent.
  package var head: Duration = .seconds(30)
  /// The longest wait for a body in which fewer than `bodyMinimum` bytes arrive. It cuts off servers that stall and
  /// servers that drip.
  package var bodyIdle: Duration = .seconds(30)
  package var bodyMinimum = 1024
  /// The number of connections to one server, in use and kept. A further request waits its turn.
  package var connections = 6
  /// The longest time that a request waits its turn while nothing arrives on the other connections. Behind a long
  /// download it waits until that ends, however long that takes.
  package var turn: Duration = .seconds(30)
  /// The time for which a connection is kept without a request. It is shorter than what servers allow; otherwise the
  /// server would often have closed the connection.
  package var keptIdle: Duration = .seconds(60)
  /// The plaintext handed to a connection in one go, in bytes.
  package static let turn = 256 * 1024
  /// The number of heads with status 1xx allowed before a response.
  package var informationalHeads = 8

  package init() {}

  /// The limits of all connections made from here on. Tests override them, so that a test of something else does not
  /// depend on how busy its machine is.
  @TaskLocal package static var standard = ClientLimits()
}
