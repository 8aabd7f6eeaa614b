/// The clients that a server admits, by certificate and by ticket, and those that may stay.
import CFootageOpenSSL
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageTLS

/// Both versions of the protocol. Clients show their certificates at different points in them.
private let versions = [TLS1_2_VERSION, TLS1_3_VERSION]

@Suite struct TLSServerTests {
  private func configuration(
    _ mode: ClientAuthentication = .require, authorities: [UInt8]? = nil, lists: [UInt8]? = nil, earliestNow: Int64 = 0
  ) throws -> TLSServerConfiguration {
    TLSServerConfiguration(
      certificatePEM: try ClientAuthorities.files("server.pem"),
      privateKeyPEM: try ClientAuthorities.files("server.key"), clientAuthentication: mode,
      clientAuthorityPEM: mode == .none ? nil : try authorities ?? ClientAuthorities.files("root.pem"),
      revocationListPEM: lists, earliestNow: earliestNow)
  }

  private func server(
    _ mode: ClientAuthentication = .require, authorities: [UInt8]? = nil, lists: [UInt8]? = nil
  ) throws -> TLSServerContext {
    try TLSServerContext.make(try configuration(mode, authorities: authorities, lists: lists))
  }

  private func visit(_ server: TLSServerContext, _ options: ClientOptions) throws -> ServerHandshake {
    try ServerHandshake(server, options).run()
  }

  /// Returns options with which alice sends the certificate of her authority along, as she should.
  private func alice(_ version: Int32 = TLS1_3_VERSION) -> ClientOptions {
    ClientOptions(version: version, name: "alice", chain: ["middle"])
  }

  // MARK: Chains

  @Test(arguments: versions)
  func `a client is let in by its name, with an intermediate authority or without`(version: Int32) throws {
    let server = try server()
    for (name, options) in [
      ("alice", alice(version)), ("carol", ClientOptions(version: version, name: "carol")),
    ] {
      let visit = try visit(server, options)
      #expect(visit.failure == nil && visit.isServerDone)
      #expect(visit.server.client?.name == name)
      #expect(visit.server.clientRejection == nil)
    }
  }

  @Test func `the dates of a client are those of its whole chain`() throws {
    let visit = try visit(server(), alice())
    let middle = try Certificate.all(inPEM: try ClientAuthorities.files("middle.pem"), what: "")[0]
    // It is valid for 20 days, alice's own for 30.
    #expect(visit.server.client?.validity.upperBound == middle.notAfter)
  }

  @Test(arguments: [
    ["root.crl", "middle-alice.crl"], ["middle-alice.crl", "root.crl"], ["middle-alice.crl"],
  ])
  func `a client who was shut out by its own authority is refused`(lists: [String]) throws {
    let server = try server(lists: try lists.flatMap { try ClientAuthorities.files($0) })
    for version in versions {
      let refused = try visit(server, alice(version))
      guard case .client(let rejection) = refused.failure else {
        Issue.record("\(String(describing: refused.failure))")
        continue
      }
      #expect(rejection.reason == .revoked)
      #expect(rejection.description.contains(/^revoked \(serial [0-9A-F]+, CN alice\)$/))
      let bob = ClientOptions(version: version, name: "bob", chain: ["middle"])
      #expect(try visit(server, bob).server.client?.name == "bob")
    }
  }

  @Test(arguments: [
    ["root.pem"], ["root.pem", "middle.pem"], ["middle.pem", "root.pem"],
  ])
  func `whoever comes by an authority that was shut out is refused`(authorities: [String]) throws {
    let server = try server(
      authorities: try authorities.flatMap { try ClientAuthorities.files($0) },
      lists: try ClientAuthorities.files("root-middle.crl", "middle.crl"))
    for version in versions {
      guard case .client(let rejection) = try visit(server, alice(version)).failure else {
        Issue.record("alice was let in")
        continue
      }
      #expect(rejection.reason == .authorityRevoked)
      #expect(rejection.description.contains(/^its authority was revoked \(serial [0-9A-F]+, CN alice\)$/))
    }
    #expect(try visit(server, ClientOptions(name: "carol")).server.client?.name == "carol")
  }

  @Test func `an authority above the client's need have no list, and the client's own must`() throws {
    let above = try server(lists: try ClientAuthorities.files("middle.crl"))
    #expect(try visit(above, alice()).server.client?.name == "alice")
    #expect(above.lacksListOfAuthority)
    let own = try server(lists: try ClientAuthorities.files("root.crl"))
    #expect(!own.lacksListOfAuthority)
    guard case .client(let rejection) = try visit(own, alice()).failure else {
      Issue.record("nobody knows whether alice was shut out")
      return
    }
    #expect(rejection.reason == .noRevocationList)
  }

  @Test(arguments: [true, false])
  func `an intermediate authority alone is enough`(sendsChain: Bool) throws {
    for lists in [
      nil, try ClientAuthorities.files("middle.crl"), try ClientAuthorities.files("middle.crl", "root.crl"),
    ] {
      let server = try server(authorities: try ClientAuthorities.files("middle.pem"), lists: lists)
      let visit = try visit(server, ClientOptions(name: "alice", chain: sendsChain ? ["middle"] : []))
      #expect(visit.server.client?.name == "alice", "\(String(describing: visit.failure))")
      guard case .client(let rejection) = try self.visit(server, ClientOptions(name: "carol")).failure else {
        Issue.record("carol comes by another authority")
        continue
      }
      #expect(rejection.reason == .unknownAuthority)
    }
  }

  @Test func `an authority of the same name and another key is unknown, and so is none at all`() throws {
    for (name, reason) in [("mallory", ClientRejection.Reason.unknownAuthority), ("server", .unknownAuthority)] {
      guard case .client(let rejection) = try visit(server(), ClientOptions(name: name)).failure else {
        Issue.record("\(name) was let in")
        continue
      }
      #expect(rejection.reason == reason)
    }
  }

  @Test func `a list that is torn behind a whole one is refused, and not passed over`() throws {
    let (middle, root) = (try ClientAuthorities.files("middle.crl"), try ClientAuthorities.files("root.crl"))
    _ = try server(lists: middle + root)
    for count in [root.count - 40, root.count / 2, 40] {
      #expect(throws: TLSError.self) { try server(lists: middle + root.prefix(count)) }
    }
  }

  @Test(arguments: [["strange.crl"], ["root.crl", "strange.crl"]])
  func `a list that the authority has not signed is none`(lists: [String]) throws {
    let lists = try lists.flatMap { try ClientAuthorities.files($0) }
    let error = #expect(throws: TLSError.self) { try server(lists: lists) }
    #expect("\(try #require(error))".contains("it is not signed by the client authority"))
  }

  // MARK: No certificate

  @Test(arguments: versions)
  func `who has no certificate where one is required finishes the handshake, is nobody, and gets no ticket`(
    version: Int32
  ) throws {
    let visit = try visit(server(), ClientOptions(version: version))
    #expect(visit.failure == nil && visit.isServerDone)
    #expect(visit.server.client == nil)
    #expect(visit.server.clientRejection?.reason == .noCertificate)
    #expect(visit.server.clientRejection?.description == "no certificate")
    #expect(visit.session == nil)
  }

  @Test(arguments: versions)
  func `who has no certificate where one is welcome is let in, and gets a ticket`(version: Int32) throws {
    let server = try server(.optional)
    let first = try visit(server, ClientOptions(version: version))
    #expect(first.server.client == nil && first.server.clientRejection == nil)
    let second = try visit(server, ClientOptions(version: version, session: try first.ticket()))
    #expect(second.isResumed && second.failure == nil)
    #expect(second.server.client == nil && second.server.clientRejection == nil)
  }

  // MARK: Tickets

  @Test(arguments: versions)
  func `a ticket brings its client's name along, again and again`(version: Int32) throws {
    let server = try server()
    var session = try visit(server, alice(version)).ticket()
    for _ in 0..<3 {
      let again = try visit(server, ClientOptions(version: version, session: session))
      #expect(again.isResumed)
      #expect(again.server.client?.name == "alice" && again.server.clientRejection == nil)
      session = try again.ticket()
    }
  }

  @Test(arguments: versions)
  func `a ticket that was got without a certificate is worth nothing where one is required`(version: Int32) throws {
    for mode in [ClientAuthentication.none, .optional] {
      let keys = try TicketKeys()
      let open = try TLSServerContext.make(try configuration(mode), ticketKeys: keys)
      let strict = try TLSServerContext.make(try configuration(), ticketKeys: keys)
      let session = try visit(open, ClientOptions(version: version)).ticket()
      let visit = try visit(strict, ClientOptions(version: version, session: session))
      #expect(!visit.isResumed)
      #expect(visit.server.client == nil)
    }
  }

  /// A ticket of TLS 1.3 crosses the network unencrypted, so anyone can show it. A valid ticket that cannot be used
  /// with the offered suites is examined and then ignored.
  @Test func `a good ticket that the handshake is not made with lets nobody in`() throws {
    let server = try server()
    var options = alice()
    options.suites = "TLS_AES_128_GCM_SHA256"
    let session = try visit(server, options).ticket()
    let visit = try visit(server, ClientOptions(session: session, suites: "TLS_AES_256_GCM_SHA384"))
    #expect(visit.isServerDone && !visit.isResumed)
    #expect(visit.server.client == nil)
    #expect(visit.server.clientRejection?.reason == .noCertificate)
  }

  @Test(arguments: versions)
  func `a ticket lets nobody in who was shut out since, by whichever authority`(version: Int32) throws {
    let before = try server(lists: try ClientAuthorities.files("root.crl", "middle.crl"))
    let session = try visit(before, alice(version)).ticket()
    for lists in [["root.crl", "middle-alice.crl"], ["root-middle.crl", "middle.crl"]] {
      let lists = try lists.flatMap { try ClientAuthorities.files($0) }
      // The same ticket keys, which a server with other lists would not have. This tests the second line of defense.
      let after = try TLSServerContext.make(try configuration(lists: lists), ticketKeys: before.ticketKeys)
      let visit = try visit(after, ClientOptions(version: version, session: session))
      #expect(!visit.isResumed && visit.server.client == nil)
    }
  }

  @Test(arguments: versions)
  func `tickets outlive a context that lets in the same clients, and no other`(version: Int32) throws {
    let lists = try ClientAuthorities.files("root.crl", "middle.crl")
    let before = try server(lists: lists)
    let session = try visit(before, alice(version)).ticket()
    let same = try TLSServerContext.make(try configuration(lists: lists), succeeding: before)
    #expect(same.generation > before.generation)
    #expect(try visit(same, ClientOptions(version: version, session: session)).isResumed)
    let whole = try visit(same, alice(version))
    #expect(try visit(same, ClientOptions(version: version, session: try whole.ticket())).isResumed)
    let other = try TLSServerContext.make(
      try configuration(lists: lists + lists), succeeding: same)
    let visit = try visit(other, ClientOptions(version: version, session: try whole.ticket()))
    #expect(!visit.isResumed)
  }

  @Test(arguments: versions)
  func `a ticket key makes tickets for most of a day and opens them until the day is over`(version: Int32) throws {
    let clock = MovableClock()
    let keys = try TicketKeys(clock: clock.clock)
    let server = try TLSServerContext.make(try configuration(), ticketKeys: keys)
    let bob = ClientOptions(version: version, name: "bob", chain: ["middle"])
    let first = try visit(server, bob).ticket()
    clock.advance(by: .seconds(22 * 3_600 - 1))
    let again = try visit(server, ClientOptions(version: version, session: first))
    #expect(again.isResumed)
    // From now on another key makes tickets, and the first one still opens its own.
    clock.advance(by: .seconds(2))
    let old = try visit(server, ClientOptions(version: version, session: try again.ticket()))
    #expect(old.isResumed)
    let renewed = try old.ticket()
    let kept = try visit(server, bob).ticket()
    clock.advance(by: .seconds(2 * 3_600))
    #expect(try !visit(server, ClientOptions(version: version, session: first)).isResumed)
    #expect(try visit(server, ClientOptions(version: version, session: renewed)).isResumed)
    #expect(try visit(server, ClientOptions(version: version, session: kept)).isResumed)
    clock.advance(by: .seconds(24 * 3_600))
    server.rotateTicketKeys()
    #expect(try !visit(server, ClientOptions(version: version, session: renewed)).isResumed)
  }

  // MARK: Staying

  @Test func `who is there is judged by the lists and authorities that are there now`() throws {
    let before = try server(lists: try ClientAuthorities.files("root.crl", "middle.crl"))
    let client = try #require(try visit(before, alice()).server.client)
    #expect(before.validity(of: client) == client.validity)
    for (authorities, lists, reason) in [
      (["root.pem"], ["root.crl", "middle.crl"], nil),
      (["root.pem", "strange.pem"], ["root.crl", "middle.crl"], nil),
      (["root.pem"], ["root.crl", "middle-alice.crl"], .revoked),
      (["root.pem"], ["root-middle.crl", "middle.crl"], .authorityRevoked),
      (["strange.pem"], ["strange.crl"], .unknownAuthority),
    ] as [([String], [String], ClientRejection.Reason?)] {
      let after = try server(
        authorities: try authorities.flatMap { try ClientAuthorities.files($0) },
        lists: try lists.flatMap { try ClientAuthorities.files($0) })
      #expect(after.validity(of: client) == nil)
      do throws(ClientRejection) {
        let validity = try after.judge(again: client)
        #expect(reason == nil && validity == client.validity)
        #expect(after.validity(of: client) == client.validity, "it is remembered")
      } catch {
        #expect(error.reason == reason)
      }
    }
  }

  @Test func `who came by a ticket is judged as who came by a certificate`() throws {
    let before = try server(authorities: try ClientAuthorities.files("root.pem", "middle.pem"))
    let session = try visit(before, alice()).ticket()
    let client = try #require(try visit(before, ClientOptions(session: session)).server.client)
    let after = try server(lists: try ClientAuthorities.files("root.crl", "middle.crl"))
    #expect(throws: Never.self) { try after.judge(again: client) }
    let stricter = try server(lists: try ClientAuthorities.files("root.crl", "middle-alice.crl"))
    #expect(throws: ClientRejection.self) { try stricter.judge(again: client) }
  }

  @Test func `who has expired meanwhile may not stay`() throws {
    let client = try #require(try visit(server(), alice()).server.client)
    let later = try TLSServerContext.make(try configuration(earliestNow: client.validity.upperBound + 1))
    let error = #expect(throws: ClientRejection.self) { try later.judge(again: client) }
    #expect(error?.reason == .expired)
    let justBefore = try TLSServerContext.make(try configuration(earliestNow: client.validity.upperBound - 1))
    #expect(throws: Never.self) { try justBefore.judge(again: client) }
  }
}
