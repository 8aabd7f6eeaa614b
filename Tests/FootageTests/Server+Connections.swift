/// Connections to the server that curl does not make, among them those of `openssl s_client`.
import Foundation
import LinuxTestSupport
import Testing

extension Server {
  /// Returns a connection that stays open between requests, until the server ends it.
  ///
  /// - Parameter client: the client whose certificate and key in the server's folder are used; nil for none.
  func connect(
    _ transport: Transport = .tls13, client: String? = nil, resuming session: RawConnection.Session? = nil
  ) throws -> RawConnection {
    let identity = try client.map { try ServerMaterial(pem: certs + "/clients/\($0)-both.pem") }
    return try RawConnection(to: port, transport, showing: identity, resuming: session)
  }

  /// Runs `openssl s_client`, which sends a request if there is one, and ends when the server closes the connection.
  func sClient(_ arguments: String..., request path: String? = nil, input: String? = nil) throws -> Command.Outcome {
    try sClient(arguments: arguments, request: path, input: input)
  }

  func sClient(arguments: [String], request path: String? = nil, input: String? = nil) throws -> Command.Outcome {
    let request = path.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n" }
    return try Command(
      "openssl",
      arguments: [
        "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "localhost", "-CAfile", certs + "/server.pem",
      ] + (request == nil ? [] : ["-ign_eof"]) + arguments,
      input: request ?? input
    ).run()
  }
}
