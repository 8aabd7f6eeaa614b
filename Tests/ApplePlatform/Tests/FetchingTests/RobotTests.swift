/// Robots and impostors, made with OpenSSL directly, at the other end of Network's connections.
import CFootageOpenSSL
import FootageDigest
import Foundation
import FootageHTTP
import Network
import Security
import Synchronization
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageFetching

@Suite(.serialized, .timeLimit(.minutes(2))) struct RobotTests {
  /// The events that one client has received.
  final class Notes: Sendable {
    let proven = Mutex<[PublicKeyPin]>([])
    let warnings = Mutex<[TrustWarning]>([])
  }

  static let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"

  static func certificate(_ name: String) throws -> PresentedCertificate {
    let pem = try Material.file("\(name).pem")
    guard case .authority(let authority) = try TrustPin.authority(pem) else { throw CocoaError(.featureUnsupported) }
    return try #require(PresentedCertificate(der: authority.der, sha256: SHA256.hash))
  }

  static func pin(_ name: String) throws -> TrustPin { .publicKey(try certificate(name).publicKey) }

  static func client(
    _ server: RawServer, trusting policy: TrustPolicy, as identity: AppleIdentity? = nil, host: String = "127.0.0.1",
    notes: Notes = Notes(), over paths: NetworkConnector.Paths = .init(),
    _ adjust: (inout ClientLimits) -> Void = { _ in }
  ) throws -> HTTPClient {
    try HTTPClientTests.client(
      server.port,
      security: NetworkConnector.Security(
        policy: { policy }, identity: identity, onProof: { pin in notes.proven.withLock { $0.append(pin) } },
        onWarning: { warning in notes.warnings.withLock { $0.append(warning) } }),
      over: paths, host: host, adjust)
  }

  static func ask(_ client: HTTPClient) async throws -> String {
    try await HTTPClientTests.body(try await client.send(HTTPClientRequest("/")))
  }

  static func failure(_ client: HTTPClient) async -> HTTPClientError? {
    await #expect(throws: HTTPClientError.self) { _ = try await ask(client) }
  }

  static func alice() throws -> AppleIdentity {
    try AppleIdentity.open(
      .pkcs12(try Material.file("apple.p12"), passphrase: "open"), now: Int64(Date().timeIntervalSince1970))
  }

  // MARK: The robot

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func `who has the pinned key is asked, and its key is told`(version: Int32) async throws {
    let server = try RawServer(try Material.server("robot"), .init(version: version, answer: Self.answer))
    let notes = Notes()
    let client = try Self.client(server, trusting: .pinned([try Self.pin("robot")]), notes: notes)
    #expect(try await Self.ask(client) == "hello")
    let visit = try #require(server.stop().first)
    #expect(String(decoding: visit.received, as: UTF8.self).hasPrefix("GET / HTTP/1.1\r\n"))
    #expect(visit.version == (version == TLS1_3_VERSION ? "TLSv1.3" : "TLSv1.2"))
    #expect(visit.serverName == nil && visit.offeredProtocols.contains(Array("\u{8}http/1.1".utf8)))
    #expect(notes.proven.withLock { $0 } == [try Self.certificate("robot").publicKey])
    #expect(notes.warnings.withLock { $0 } == [])
  }

  @Test func `a name is sent as the server's`() async throws {
    let server = try RawServer(try Material.server("robot"), .init(answer: Self.answer))
    let client = try Self.client(server, trusting: .pinned([try Self.pin("robot")]), host: "localhost")
    #expect(try await Self.ask(client) == "hello")
    #expect(server.stop().first?.serverName == "localhost")
  }

  @Test func `a certificate, whole or by its digest, is as good as its key`() async throws {
    let pem = try Material.file("robot.pem")
    let digest = try Self.certificate("robot").digest
    for pin in [
      try TrustPin.certificate(pem),
      try .certificate(digest: digest.map { String(format: "%02x", $0) }.joined(separator: ":")),
    ] {
      let server = try RawServer(try Material.server("robot"), .init(answer: Self.answer))
      #expect(try await Self.ask(try Self.client(server, trusting: .pinned([pin]))) == "hello")
    }
  }

  // MARK: Impostors

  @Test func `an impostor gets no byte and is told apart`() async throws {
    let server = try RawServer(try Material.server("twin"), .init(answer: Self.answer))
    let policy = TrustPolicy.pinned([try Self.pin("robot")])
    let notes = Notes()
    let error = await Self.failure(try Self.client(server, trusting: policy, as: try Self.alice(), notes: notes))
    guard case .tls(.trust(let failure)) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    let twin = try Self.certificate("twin").publicKey
    #expect(failure.reason == .otherKey && failure.seen == twin)
    #expect(failure.host == "127.0.0.1:\(server.port)" && failure.expected == policy.pins)
    #expect(error?.canPass == false)
    let visit = try #require(server.stop().first)
    #expect(visit.received == [] && visit.clientCertificates == [] && !visit.isAccepted)
    #expect(notes.proven.withLock { $0 } == [])
  }

  @Test func `an impostor is told apart, whatever Network calls the handshake that was broken off`() async throws {
    defer { FakeNetwork.callsRefusalsResets = false }
    FakeNetwork.callsRefusalsResets = true
    let server = try RawServer(try Material.server("twin"), .init(answer: Self.answer))
    let error = await Self.failure(try Self.client(server, trusting: .pinned([try Self.pin("robot")])))
    guard case .tls(.trust(let failure)) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(failure.reason == .otherKey)
  }

  @Test func `a stranger at one address is forgotten once the robot has answered at another`() throws {
    let check = RobotCheck(
      .pinned([try Self.pin("robot")]), host: "robot.local", port: 8443, identity: nil,
      now: Int64(Date().timeIntervalSince1970))
    let chains = try ["twin", "robot"].map { name in
      guard case .authority(let shown) = try TrustPin.authority(try Material.file("\(name).pem")) else {
        throw CocoaError(.featureUnsupported)
      }
      return [try #require(SecCertificateCreateWithData(nil, Data(shown.der) as CFData))]
    }
    #expect(!check.judge(chains[0]) && check.failure?.reason == .otherKey)
    guard case .tls(.trust) = ConnectionError(.posix(.ECONNRESET), check) else { return #expect(Bool(false)) }
    #expect(check.judge(chains[1]) && check.failure == nil)
    guard case .broken = ConnectionError(.posix(.ECONNRESET), check) else { return #expect(Bool(false)) }
  }

  @Test func `a policy without pins trusts nobody, and says who was there`() async throws {
    let server = try RawServer(try Material.server("robot"), .init(answer: Self.answer))
    let error = await Self.failure(try Self.client(server, trusting: .pinned([])))
    guard case .tls(.trust(let failure)) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    let robot = try Self.certificate("robot").publicKey
    #expect(failure.reason == .nobodyIsTrusted && failure.seen == robot)
    #expect(server.stop().first?.received == [])
  }

  @Test func `a copy of the certificate without its key gets no byte`() async throws {
    let server = try RawServer(try Material.thief(), .init(answer: Self.answer))
    let error = await Self.failure(try Self.client(server, trusting: .pinned([try Self.pin("robot")])))
    guard case .tls(.trust(let failure)) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    let robot = try Self.certificate("robot").publicKey
    #expect(failure.reason == .keyNotProven && failure.seen == robot)
    #expect(server.stop().first?.received == [])
  }

  /// The fake resumes sessions as Apple's framework does unless it is turned off, and then it calls no verify block.
  @Test func `each connection is a handshake of its own`() async throws {
    let server = try RawServer(try Material.server("robot"), .init(answer: Self.answer))
    let client = try Self.client(server, trusting: .pinned([try Self.pin("robot")]))
    for _ in 0..<3 { #expect(try await Self.ask(client) == "hello") }
    let visits = server.stop()
    #expect(visits.count == 3 && visits.allSatisfy { $0.isAccepted && !$0.isResumed })
  }

  /// Models a change of the policy: the key of the handshake is judged again before the first write.
  @Test func `what the verify block let in is looked at again before the first write`() async throws {
    let server = try RawServer(try Material.server("robot"), .init(answer: Self.answer))
    let right = TrustPolicy.pinned([try Self.pin("robot")])
    let check = RobotCheck(
      right, host: "127.0.0.1", port: server.port, identity: nil, now: Int64(Date().timeIntervalSince1970))
    let executor = QueueExecutor()
    let connection = NWConnection(
      to: .hostPort(host: NWEndpoint.Host("127.0.0.1"), port: try #require(NWEndpoint.Port(rawValue: server.port))),
      using: NWParameters(tls: check.options(on: executor.queue)))
    let isReady = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
      connection.stateUpdateHandler = { state in
        if state == .ready { continuation.resume(returning: true) }
      }
      connection.start(queue: executor.queue)
    }
    #expect(isReady)
    #expect(try check.confirm(connection) == Self.certificate("robot").publicKey)
    let wrong = RobotCheck(
      .pinned([try Self.pin("twin")]), host: "127.0.0.1", port: server.port, identity: nil,
      now: Int64(Date().timeIntervalSince1970))
    let error = #expect(throws: TrustFailure.self) { try wrong.confirm(connection) }
    #expect(error?.reason == .otherKey)
    // A connection that has reported no certificate at all is not trusted.
    let plain = NWConnection(
      to: .hostPort(host: NWEndpoint.Host("127.0.0.1"), port: try #require(NWEndpoint.Port(rawValue: server.port))),
      using: NWParameters(tls: nil))
    #expect(throws: TrustFailure.self) { try check.confirm(plain) }
    connection.forceCancel()
    plain.forceCancel()
    #expect(server.stop().first?.received == [])
  }

  // MARK: Authorities

  @Test func `who was issued a certificate by a pinned authority is asked, under its own name alone`() async throws {
    let policy = TrustPolicy.pinned([try .authority(try Material.file("root.pem"))])
    let issued = try Material.server("issued", chain: ["middle"])
    let server = try RawServer(issued, .init(answer: Self.answer))
    #expect(try await Self.ask(try Self.client(server, trusting: policy, host: "localhost")) == "hello")
    let address = try RawServer(issued, .init(answer: Self.answer))
    #expect(try await Self.ask(try Self.client(address, trusting: policy)) == "hello")
    for (material, reason) in [
      (try Material.elsewhere(), TrustFailure.Reason.otherHostName),
      (try Material.server("strange"), nil),
    ] as [(ServerMaterial, TrustFailure.Reason?)] {
      let other = try RawServer(material, .init(answer: Self.answer))
      let error = await Self.failure(try Self.client(other, trusting: policy, host: "localhost"))
      guard case .tls(.trust(let failure)) = error else { return #expect(Bool(false), "\(String(describing: error))") }
      if let reason {
        #expect(failure.reason == reason)
      } else if case .notFromAuthority = failure.reason {
      } else {
        #expect(Bool(false), "\(failure)")
      }
      #expect(other.stop().first?.received == [])
    }
  }

  // MARK: The app's own certificate

  @Test func `a robot that asks who this is is shown the certificate and those above it`() async throws {
    let server = try RawServer(try Material.server("robot"), .init(asksForCertificate: true, answer: Self.answer))
    let client = try Self.client(server, trusting: .pinned([try Self.pin("robot")]), as: try Self.alice())
    #expect(try await Self.ask(client) == "hello")
    #expect(server.stop().first?.clientCertificates.first?.contains("alice") == true)
  }

  @Test func `a robot that does not ask is shown nothing`() async throws {
    let server = try RawServer(try Material.server("robot"), .init(answer: Self.answer))
    let client = try Self.client(server, trusting: .pinned([try Self.pin("robot")]), as: try Self.alice())
    #expect(try await Self.ask(client) == "hello")
    #expect(server.stop().first?.clientCertificates == [])
  }

  @Test func `over TLS 1.2 a certificate would be seen by everybody: it is not spoken`() async throws {
    let server = try RawServer(
      try Material.server("robot"), .init(version: TLS1_2_VERSION, asksForCertificate: true, answer: Self.answer))
    let error = await Self.failure(
      try Self.client(server, trusting: .pinned([try Self.pin("robot")]), as: try Self.alice()))
    guard case .tls(.connection) = error else { return #expect(Bool(false), "\(String(describing: error))") }
    let visit = try #require(server.stop().first)
    #expect(visit.received == [] && visit.clientCertificates == [])
  }

  @Test func `a robot that wants a certificate and gets none, or refuses it, is told apart`() async throws {
    for identity in [nil, try Self.alice()] {
      let server = try RawServer(
        try Material.server("robot"),
        .init(asksForCertificate: true, refusal: X509_V_ERR_CERT_REVOKED, answer: Self.answer))
      let error = await Self.failure(try Self.client(server, trusting: .pinned([try Self.pin("robot")]), as: identity))
      guard case .tls(.identity(let failure)) = error else {
        return #expect(Bool(false), "\(String(describing: error))")
      }
      switch failure {
      case .needed: #expect(identity == nil)
      case .refused: #expect(identity != nil)
      default: #expect(Bool(false), "\(failure)")
      }
      _ = server.stop()
    }
  }

  // MARK: Networks

  @Test func `a network that the policy forbids is not used`() async throws {
    defer {
      (FakeNetwork.isExpensive, FakeNetwork.isConstrained, FakeNetwork.deniesLocalNetwork) = (false, false, false)
    }
    let server = try RawServer(try Material.server("robot"), .init(answer: Self.answer))
    let policy = TrustPolicy.pinned([try Self.pin("robot")])
    FakeNetwork.isExpensive = true
    let frugal = try Self.client(server, trusting: policy, over: .init(allowsExpensive: false))
    #expect(await Self.failure(frugal)?.canPass == true)
    #expect(try await Self.ask(try Self.client(server, trusting: policy)) == "hello")
    (FakeNetwork.isExpensive, FakeNetwork.isConstrained) = (false, true)
    let modest = try Self.client(server, trusting: policy, over: .init(allowsConstrained: false))
    #expect(await Self.failure(modest)?.canPass == true)
    #expect(try await Self.ask(frugal) == "hello")
    (FakeNetwork.isConstrained, FakeNetwork.deniesLocalNetwork) = (false, true)
    let denied = await Self.failure(
      try Self.client(server, trusting: policy) { $0.connect = .milliseconds(200) })
    guard case .unreachable(_, .localNetworkDenied)? = denied else {
      Issue.record("\(String(describing: denied))")
      return
    }
    #expect(denied?.canPass == true)
    // The system asks the person, who takes a moment to allow it.
    let asking = Task { try await Self.ask(try Self.client(server, trusting: policy)) }
    try await Task.sleep(for: .milliseconds(50))
    FakeNetwork.deniesLocalNetwork = false
    #expect(try await asking.value == "hello")
  }

  @Test func `who asks hears what the network is like, and each change, until it lets go`() async throws {
    defer {
      (FakeNetwork.isExpensive, FakeNetwork.hasWiFiBeside, FakeNetwork.deniesLocalNetwork) = (false, false, false)
    }
    let heard = EventLog<[Bool]>()
    func hears(_ expected: [Bool]) async throws {
      FakeNetwork.tellMonitors()
      try await eventually("\(expected)") { () async -> Bool in heard.all.last == expected }
    }
    var watch: NetworkPathWatch? = NetworkPathWatch { heard.append([$0.isAvailable, $0.isMetered]) }
    #expect(watch != nil && FakeNetwork.monitorCount == 3)
    try await hears([true, false])
    FakeNetwork.isExpensive = true
    try await hears([true, true])
    // The robot's own Wi-Fi, while the Internet is reached over a mobile network.
    FakeNetwork.hasWiFiBeside = true
    try await hears([true, false])
    FakeNetwork.deniesLocalNetwork = true
    try await hears([false, false])
    watch = nil
    #expect(FakeNetwork.monitorCount == 0)
  }

  @Test func `a name that nobody knows is one that can pass`() async throws {
    let client = try HTTPClientTests.client(1, host: "robot.invalid")
    let error = await Self.failure(client)
    guard case .nameNotFound = error else { return #expect(Bool(false), "\(String(describing: error))") }
    #expect(error?.canPass == true)
  }
}
