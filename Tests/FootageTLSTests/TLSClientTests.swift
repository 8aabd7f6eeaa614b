/// The client, against robots and impostors that are made with OpenSSL directly.
import CFootageOpenSSL
import Foundation
import FootageSystem
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageTLS

@Suite struct TLSClientTests {
  static func pin(_ name: String) throws -> PublicKeyPin {
    try #require(try Certificate.all(inPEM: try Material.file("\(name).pem"), what: name)[0].publicKeyPin)
  }

  static func robotPolicy(dates: TrustPolicy.Dates? = nil) throws -> TrustPolicy {
    .pinned([.publicKey(try pin("robot"))], dates: dates)
  }

  static func alice() throws -> IdentitySource { .pkcs12(try Material.file("modern.p12"), passphrase: "open") }

  /// Returns the error with which the handshake fails.
  static func failure(_ context: TLSClientContext, host: String = "localhost", port: UInt16) throws -> TLSError? {
    let client = try BlockingClient(context, host: host, port: port)
    do throws(TLSError) {
      try client.handshake()
      return nil
    } catch { return error }
  }

  // MARK: The robot

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func `who has the pinned key is asked`(version: Int32) throws {
    let server = try RawServer(try Material.server("robot"), .init(version: version))
    let client = try BlockingClient(try .make(try Self.robotPolicy()), port: server.port)
    try client.handshake()
    #expect(try client.ask("a question") == "hello")
    let visit = try #require(server.stop().first)
    #expect(visit.received == Array("a question".utf8))
    #expect(visit.version == (version == TLS1_3_VERSION ? "TLSv1.3" : "TLSv1.2"))
    #expect(visit.serverName == "localhost")
    #expect(visit.offeredProtocols.contains(Array("\u{8}http/1.1".utf8)))
    #expect(client.stream.trustWarnings == [])
  }

  @Test func `an address is not sent as a server name`() throws {
    let server = try RawServer(try Material.server("robot"))
    let client = try BlockingClient(try .make(try Self.robotPolicy()), host: "127.0.0.1", port: server.port)
    try client.handshake()
    _ = try client.ask()
    #expect(server.stop().first?.serverName == nil)
  }

  @Test func `the key of a pinned certificate, whole or by digest, is as good`() throws {
    let pem = try Material.file("robot.pem")
    let digest = try #require(try Certificate.all(inPEM: pem, what: "")[0].presented?.digest)
    for pin in [
      try TrustPin.certificate(pem),
      try .certificate(digest: digest.map { String(format: "%02x", $0) }.joined(separator: ":")),
    ] {
      let server = try RawServer(try Material.server("robot"))
      #expect(try Self.failure(try .make(.pinned([pin])), port: server.port) == nil)
      _ = server.stop()
    }
  }

  // MARK: Impostors

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func `a twin with the same names and number gets an alert and nothing else`(version: Int32) throws {
    for identity in version == TLS1_3_VERSION ? [nil, try Self.alice()] : [nil] {
      let server = try RawServer(try Material.server("twin"), .init(version: version, asksForCertificate: true))
      let error = try Self.failure(try .make(try Self.robotPolicy(), identity: identity), port: server.port)
      let expected = TrustFailure(
        .otherKey, host: "localhost:\(server.port)", seen: try Self.pin("twin"),
        expected: [.publicKey(try Self.pin("robot"))])
      #expect(error == .trust(expected))
      Self.expectNothing(server.stop())
    }
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func `who shows the robot's certificate without its key gets an alert and nothing else`(version: Int32) throws {
    for identity in version == TLS1_3_VERSION ? [nil, try Self.alice()] : [nil] {
      let server = try RawServer(try Material.thief(), .init(version: version, asksForCertificate: true))
      let error = try Self.failure(try .make(try Self.robotPolicy(), identity: identity), port: server.port)
      let expected = TrustFailure(
        .keyNotProven, host: "localhost:\(server.port)", seen: try Self.pin("robot"),
        expected: [.publicKey(try Self.pin("robot"))])
      #expect(error == .trust(expected))
      Self.expectNothing(server.stop())
    }
  }

  @Test func `without pins nobody is trusted, and the pin of who answered is known`() throws {
    let server = try RawServer(try Material.server("robot"), .init(asksForCertificate: true))
    let error = try Self.failure(try .make(.pinned([]), identity: try Self.alice()), port: server.port)
    guard case .trust(let failure) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(failure.reason == .nobodyIsTrusted)
    #expect(failure.seen == (try Self.pin("robot")))
    Self.expectNothing(server.stop())
  }

  private static func expectNothing(
    _ visits: [RawServer.Visit], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(visits.count == 1, sourceLocation: sourceLocation)
    for visit in visits {
      #expect(!visit.isAccepted, sourceLocation: sourceLocation)
      #expect(visit.received == [], sourceLocation: sourceLocation)
      #expect(visit.clientCertificates == [], sourceLocation: sourceLocation)
      #expect(visit.alert != nil, sourceLocation: sourceLocation)
    }
  }

  // MARK: Resumption

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func `the second connection is resumed, and each ticket is used once`(version: Int32) throws {
    let server = try RawServer(try Material.server("robot"), .init(version: version))
    let sessions = TLSSessionStore()
    let context = try TLSClientContext.make(try Self.robotPolicy(), sessions: sessions)
    // In TLS 1.3 only, OpenSSL's server issues a new ticket for the used one.
    let expected = [false, true, version == TLS1_3_VERSION]
    for isResumed in expected {
      let client = try BlockingClient(context, port: server.port)
      try client.handshake()
      #expect(client.stream.isResumed == isResumed)
      _ = try client.ask()
    }
    #expect(server.stop().map(\.isResumed) == expected)
  }

  @Test func `an impostor met with the robot's ticket gets an alert and nothing else`() throws {
    let robot = try RawServer(try Material.server("robot"), .init(asksForCertificate: true))
    let sessions = TLSSessionStore()
    let context = try TLSClientContext.make(try Self.robotPolicy(), identity: try Self.alice(), sessions: sessions)
    let first = try BlockingClient(context, port: robot.port)
    try first.handshake()
    _ = try first.ask()
    #expect(sessions.count > 0)
    #expect(robot.stop().first?.clientCertificates.first == "/CN=alice")
    // The impostor has taken over the address and is shown the ticket.
    let impostor = try RawServer(
      try Material.server("twin"), .init(asksForCertificate: true, ticketKeys: [UInt8](repeating: 9, count: 80)))
    let moved = try #require(sessions.take(try Self.key(context, port: robot.port)))
    sessions.put(moved, try Self.key(context, port: impostor.port))
    guard case .trust(let failure) = try Self.failure(context, port: impostor.port) else {
      Issue.record("the impostor was trusted")
      return
    }
    #expect(failure.reason == .otherKey)
    Self.expectNothing(impostor.stop())
  }

  /// The pin is checked after a resumed handshake, too. Here the ticket of a server that is no longer pinned was stored
  /// where it does not belong.
  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func `a resumed session of a server that is not pinned gets not one byte of a request`(version: Int32) throws {
    let twin = try RawServer(try Material.server("twin"), .init(version: version))
    let sessions = TLSSessionStore()
    let before = try TLSClientContext.make(.pinned([.publicKey(try Self.pin("twin"))]), sessions: sessions)
    let first = try BlockingClient(before, port: twin.port)
    try first.handshake()
    _ = try first.ask()
    let after = try TLSClientContext.make(try Self.robotPolicy(), sessions: sessions)
    let session = try #require(sessions.take(try Self.key(before, port: twin.port)))
    sessions.put(session, try Self.key(after, port: twin.port))
    guard case .trust(let failure) = try Self.failure(after, port: twin.port) else {
      Issue.record("the impostor was trusted")
      return
    }
    #expect(failure.reason == .otherKey)
    #expect(failure.seen == (try Self.pin("twin")))
    let visit = try #require(twin.stop().last)
    // The server's side of TLS 1.3 is complete only with the client's last message, which was not sent either.
    #expect(version == TLS1_3_VERSION ? !visit.isAccepted : visit.isResumed || !visit.isAccepted)
    #expect(visit.received == [])
  }

  @Test func `other pins, identities, hosts and ports find no session`() throws {
    let server = try RawServer(try Material.server("robot"))
    let sessions = TLSSessionStore()
    let policy = try Self.robotPolicy()
    let client = try BlockingClient(try .make(policy, sessions: sessions), port: server.port)
    try client.handshake()
    _ = try client.ask()
    let count = sessions.count
    #expect(count > 0)
    for (context, host) in [
      (try TLSClientContext.make(try Self.robotPolicy(dates: .enforce), sessions: sessions), "localhost"),
      (try .make(policy, identity: try Self.alice(), sessions: sessions), "localhost"),
      (try .make(policy, sessions: sessions), "127.0.0.1"),
    ] {
      let other = try BlockingClient(context, host: host, port: server.port)
      try other.handshake()
      #expect(!other.stream.isResumed)
      _ = try other.ask()
    }
    #expect(sessions.count > count)
    _ = server.stop()
  }

  private static func key(_ context: TLSClientContext, port: UInt16) throws -> TLSSessionStore.Key {
    context.sessionKey(host: "localhost", port: port)
  }

  @Test func `the store is capped for each robot and in all`() throws {
    let store = TLSSessionStore()
    func key(_ port: UInt16) -> TLSSessionStore.Key {
      .init(policy: .pinned([]), identity: nil, host: "h", port: port)
    }
    for _ in 0..<20 { store.put(TLSSession(owning: try #require(SSL_SESSION_new())), key(1)) }
    #expect(store.count == 6)
    for port in 2..<200 { store.put(TLSSession(owning: try #require(SSL_SESSION_new())), key(UInt16(port))) }
    #expect(store.count == 64)
    #expect(store.take(key(1)) == nil)
    #expect(store.take(key(199)) != nil)
    #expect(store.take(key(199)) == nil)
  }

  // MARK: Authorities and dates

  @Test func `an authority vouches for a name by way of another one`() throws {
    let material = try Material.server("issued", chain: ["middle"])
    for authority in ["root", "middle"] {
      for host in ["localhost", "127.0.0.1"] {
        let server = try RawServer(material)
        let policy = TrustPolicy.pinned([try .authority(try Material.file("\(authority).pem"))])
        #expect(try Self.failure(try .make(policy), host: host, port: server.port) == nil)
        _ = server.stop()
      }
    }
  }

  @Test func `an authority's word is not good for another name, another authority's for none`() throws {
    for (material, authority, reason) in [
      (try Material.elsewhere(), "root", TrustFailure.Reason.otherHostName),
      (
        try Material.server("issued", chain: ["middle"]), "strange",
        .notFromAuthority("unable to get local issuer certificate")
      ),
      (try Material.server("issued"), "root", .notFromAuthority("unable to get local issuer certificate")),
      (try Material.server("twin"), "root", .notFromAuthority("self-signed certificate")),
    ] {
      let server = try RawServer(material)
      let policy = TrustPolicy.pinned([try .authority(try Material.file("\(authority).pem"))])
      guard case .trust(let failure) = try Self.failure(try .make(policy), port: server.port) else {
        Issue.record("trusted under \(authority)")
        continue
      }
      #expect(failure.reason == reason)
      Self.expectNothing(server.stop())
    }
  }

  static let centuryLater = MovableClock(unixSeconds: 5_000_000_000).clock

  @Test func `dates warn for a pinned key, and are enforced where that is asked for, or under an authority`() throws {
    let lenient = try RawServer(try Material.server("robot"))
    let client = try BlockingClient(
      try .make(try Self.robotPolicy(), clock: Self.centuryLater), port: lenient.port)
    try client.handshake()
    guard case .expired? = client.stream.trustWarnings.first else { return #expect(Bool(false), "no warning") }
    _ = try client.ask()
    _ = lenient.stop()
    let authority = try TrustPin.authority(try Material.file("root.pem"))
    for (name, chain, policy) in [
      ("robot", [], try Self.robotPolicy(dates: .enforce)), ("issued", ["middle"], .pinned([authority])),
    ] as [(String, [String], TrustPolicy)] {
      let server = try RawServer(try Material.server(name, chain: chain))
      let error = try Self.failure(try .make(policy, clock: Self.centuryLater), port: server.port)
      guard case .trust(let failure)? = error, case .outOfDate(.expired) = failure.reason else {
        Issue.record("\(String(describing: error))")
        continue
      }
      Self.expectNothing(server.stop())
    }
    let server = try RawServer(try Material.server("issued", chain: ["middle"]))
    let policy = TrustPolicy.pinned([authority], dates: .warn)
    #expect(try Self.failure(try .make(policy, clock: Self.centuryLater), port: server.port) == nil)
    _ = server.stop()
  }

  // MARK: Identities

  @Test(
    arguments: [
      ("modern.p12", "open"), ("apple.p12", "open"), ("old.p12", "open"), ("empty.p12", ""),
      ("alice-both.pem", nil), ("alice-locked.pem", "open"),
    ] as [(String, String?)])
  func `an identity is shown to the robot, and those between it and its authority with it`(
    file: String, passphrase: String?
  ) throws {
    let source: IdentitySource =
      file.hasSuffix(".p12")
      ? .pkcs12(try Material.file(file), passphrase: passphrase ?? "")
      : .pem(try Material.file(file), passphrase: passphrase)
    let server = try RawServer(try Material.server("robot"), .init(asksForCertificate: true))
    let client = try BlockingClient(try .make(try Self.robotPolicy(), identity: source), port: server.port)
    try client.handshake()
    #expect(client.stream.awaitsAcceptance)
    #expect(try client.ask() == "hello")
    #expect(!client.stream.awaitsAcceptance)
    let hasIntermediates = !["empty.p12", "alice-locked.pem"].contains(file)
    #expect(
      server.stop().first?.clientCertificates == ["/CN=alice"] + (hasIntermediates ? ["/CN=middle"] : []))
  }

  @Test(
    arguments: [
      ("modern.p12", "wrong", .wrongPassphrase), ("apple.p12", "wrong", .wrongPassphrase),
      ("old.p12", "wrong", .wrongPassphrase),
      (
        "nomac.p12", "open",
        .unreadable("it has no digest that detects a wrong passphrase: export it again with one")
      ),
      ("modern.p12", "", .wrongPassphrase), ("nokey.p12", "open", .noKey), ("alice.pem", nil, .noKey),
      ("alice.key", nil, .noCertificate), ("alice-locked.pem", "wrong", .wrongPassphrase),
      ("alice-locked.pem", nil, .wrongPassphrase), ("mismatch.pem", nil, .keyDoesNotBelong),
    ] as [(String, String?, IdentityFailure)])
  func `an identity that cannot be used says why`(file: String, passphrase: String?, failure: IdentityFailure) throws {
    let bytes = try Material.file(file)
    let source: IdentitySource =
      file.hasSuffix(".p12") ? .pkcs12(bytes, passphrase: passphrase ?? "") : .pem(bytes, passphrase: passphrase)
    #expect(throws: TLSError.identity(failure)) { try TLSClientContext.make(try Self.robotPolicy(), identity: source) }
  }

  /// Reads PEM files with the key and the certificates in different orders.
  @Test func `the certificate of the key is found wherever it stands`() throws {
    let alice = try Material.file("alice.pem")
    let (middle, key) = (try Material.file("middle.pem"), try Material.file("alice.key"))
    for order in [[alice, key, middle], [middle, alice, key], [key, middle, alice]] {
      _ = try TLSClientContext.make(try Self.robotPolicy(), identity: .pem(Array(order.joined())))
    }
  }

  @Test(
    arguments: [
      ("", "it is empty"), (" \n", "it is empty"), ("MIIJ\nAAAA\n", "it is PKCS#12 in base64: decode it first"),
      ("garbage", "it is neither PKCS#12 nor PEM"), ("MII, not base64", "it is neither PKCS#12 nor PEM"),
    ])
  func `what is no PEM is told so`(text: String, words: String) throws {
    #expect {
      try TLSClientContext.make(try Self.robotPolicy(), identity: .pem(Array(text.utf8)))
    } throws: {
      "\($0)".hasPrefix("the identity cannot be read: \(words)")
    }
  }

  /// A digest that this OpenSSL cannot check reveals nothing about the passphrase.
  @Test func `a digest that is not known is not taken for a wrong passphrase`() throws {
    let folder = try TemporaryFolder()
    func export(_ digest: String, _ name: String) throws -> [UInt8]? {
      let (key, certificate) = (folder.path("key.pem"), folder.path("certificate.pem"))
      try Data(try Material.file("alice.key")).write(to: URL(fileURLWithPath: key))
      try Data(try Material.file("alice.pem")).write(to: URL(fileURLWithPath: certificate))
      let outcome = try Command(
        "openssl", "pkcs12", "-export", "-inkey", key, "-in", certificate, "-passout", "pass:open", "-macalg", digest,
        "-provider", "default", "-provider", "legacy", "-out", folder.path(name)
      ).run()
      return outcome.succeeded ? [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder.path(name)))) : nil
    }
    // The legacy provider can do this, if it is installed.
    if let bytes = try export("md4", "md4.p12") {
      _ = try TLSClientContext.make(try Self.robotPolicy(), identity: .pkcs12(bytes, passphrase: "open"))
      #expect(throws: TLSError.identity(.wrongPassphrase)) {
        try TLSClientContext.make(try Self.robotPolicy(), identity: .pkcs12(bytes, passphrase: "wrong"))
      }
    }
    // The digest gets an unknown name: the last byte of SHA-256's identifier in the MAC is changed.
    var bytes = try #require(try export("sha256", "sha256.p12"))
    let identifier: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
    let last = try #require(bytes.indices.last { bytes[$0...].starts(with: identifier) })
    bytes[last + identifier.count - 1] = 0x7F
    for passphrase in ["open", "wrong"] {
      #expect {
        try TLSClientContext.make(try Self.robotPolicy(), identity: .pkcs12(bytes, passphrase: passphrase))
      } throws: {
        "\($0)".contains("this OpenSSL (") && "\($0)".contains(") cannot check its digest (2.16.840.1.101.3.4.2.127)")
      }
    }
  }

  @Test(
    arguments: [
      ("", "it is empty: copy it again"), ("garbage", "it is not PKCS#12 ("), ("robot.pem", "it is not PKCS#12 ("),
    ])
  func `what is no PKCS#12 is told so`(text: String, words: String) throws {
    let bytes = text == "robot.pem" ? try Material.file(text) : Array(text.utf8)
    #expect {
      try TLSClientContext.make(try Self.robotPolicy(), identity: .pkcs12(bytes, passphrase: "open"))
    } throws: {
      "\($0)".hasPrefix("the identity cannot be read: \(words)")
    }
  }

  @Test func `an expired identity is not even tried`() throws {
    #expect {
      try TLSClientContext.make(try Self.robotPolicy(), identity: try Self.alice(), clock: Self.centuryLater)
    } throws: { error in
      if case .identity(.expired)? = error as? TLSError { true } else { false }
    }
  }

  @Test func `a robot that does not accept the identity is told from one that wants one`() throws {
    let refusing = try RawServer(try Material.server("robot"), .init(asksForCertificate: true, refusal: 1))
    let client = try BlockingClient(try .make(try Self.robotPolicy(), identity: try Self.alice()), port: refusing.port)
    #expect {
      try client.handshake()
      _ = try client.ask()
    } throws: { error in
      if case .identity(.refused)? = error as? TLSError { true } else { false }
    }
    client.leave()
    _ = refusing.stop()
    for version in [TLS1_2_VERSION, TLS1_3_VERSION] {
      let demanding = try RawServer(try Material.server("robot"), .init(version: version, asksForCertificate: true))
      let nobody = try BlockingClient(try .make(try Self.robotPolicy()), port: demanding.port)
      #expect(throws: TLSError.identity(.needed)) {
        try nobody.handshake()
        _ = try nobody.ask()
      }
      nobody.leave()
      _ = demanding.stop()
    }
  }

  @Test func `an identity is never shown over TLS 1_2`() throws {
    let server = try RawServer(try Material.server("robot"), .init(version: TLS1_2_VERSION, asksForCertificate: true))
    let error = try Self.failure(try .make(try Self.robotPolicy(), identity: try Self.alice()), port: server.port)
    #expect(error?.description.contains("only TLS 1.2 or older") == true)
    #expect(server.stop().first?.clientCertificates == [])
  }
}
