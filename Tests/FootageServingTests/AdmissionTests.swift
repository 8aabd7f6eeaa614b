import Foundation
@testable import FootageServing
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing
import FootageAPI

/// Clients whose handshake is under way when the set of admitted clients changes.
@Suite(.offThePool) struct AdmissionTests {
  /// Admits clients with this certificate, which is its own authority.
  private func admit(_ client: TestIdentity, to server: TestServer) throws {
    let configuration = TLSServerConfiguration(
      certificatePEM: TestIdentity.shared.certificate, privateKeyPEM: TestIdentity.shared.key,
      clientAuthentication: .require, clientAuthorityPEM: client.certificate)
    server.server.replace(tls: try TLSServerContext.make(configuration, succeeding: server.server.currentTLS))
  }

  @Test func `who was let in when the handshake began, and is not when it ends, gets no answer`() throws {
    let server = try TestServer(.tls13)
    let (alice, bob) = (try TestIdentity("root"), try TestIdentity("strange"))
    try admit(alice, to: server)
    let held = try HeldHandshake(port: server.server.address.port, showing: alice)
    try admit(bob, to: server)
    // The loop has processed the change once it has served a client that came later.
    let later = try HeldHandshake(port: server.server.address.port, showing: bob)
    #expect(later.finish(asking: "/file").hasPrefix("HTTP/1.1 200 OK\r\n"))
    let count = server.log.exchanges.count
    #expect(held.finish(asking: "/file") == "")
    server.eventually {
      server.log.errors.contains { error in
        guard case .tls(.client(let rejection)) = error else { return false }
        return rejection.reason == .unknownAuthority
      }
    }
    #expect(server.log.exchanges.count == count)
  }

  @Test func `who is let in before and after is served`() throws {
    let server = try TestServer(.tls13)
    let alice = try TestIdentity("root")
    try admit(alice, to: server)
    let held = try HeldHandshake(port: server.server.address.port, showing: alice)
    try admit(alice, to: server)
    #expect(held.finish(asking: "/file").hasPrefix("HTTP/1.1 200 OK\r\n"))
    server.eventually { server.log.exchanges.map(\.identity?.name) == ["root"] }
  }
}
