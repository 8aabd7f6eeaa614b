/// All time-outs, sizes and counts on the client's side of HTTP that a server can influence, in one place.
package struct ClientLimits: Sendable {
  /// The time allowed for finding the server's addresses, and then again for connecting to all of them together.
  package var connect: Duration = .seconds(10)
  /// The time that one attempt to connect has before the host's next address is tried beside it (RFC 8305 §5).
  package var nextAddress: Duration = .milliseconds(250)
  /// The time allowed for a whole TLS handshake.
  package var handshake: Duration = .seconds(10)
  /// The time to wait for the server's decision on the client certificate, if the server has not announced it. After
  /// this time, the request is sent anyway.
  package var acceptance: Duration = .seconds(2)
  /// The longest time in which the server may accept no byte of a request.
  package var sending: Duration = .seconds(30)
  /// The time for which a body is held back if the server does not respond to `Expect: 100-continue`.
  package var continuing: Duration = .seconds(1)
  /// The time allowed for a whole response head, once the request was sent.
  package var head: Duration = .seconds(30)
  /// The longest wait for a body in which fewer than `bodyMinimum` bytes arrive. It cuts off servers that stall and
  /// servers that drip.
  package var bodyIdle: Duration = .seconds(30)
  package var bodyMinimum = 1024
  /// The number of connections to one server, both in use and idle. A further request waits for one of them.
  package var connections = 6
  /// The longest time that a request waits for a connection while nothing arrives on the connections in use. While a
  /// long download delivers bytes on them, the request waits until the download ends.
  package var turn: Duration = .seconds(30)
  /// The time for which a connection is kept without a request. It is shorter than the time that servers allow, so that
  /// the connection is usually still open for the next request.
  package var keptIdle: Duration = .seconds(60)
  /// The plaintext passed to a connection at once, in bytes.
  package static let turn = 256 * 1024
  /// The number of heads with status 1xx allowed before a response.
  package var informationalHeads = 8

  package init() {}

  /// The limits of all connections that the current task makes. Tests can replace them, so that their results do not
  /// depend on how busy the machine is.
  @TaskLocal package static var standard = ClientLimits()
}
