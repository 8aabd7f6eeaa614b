/// The strength of a signature or a key, under an authority and pinned.
import CFootageOpenSSL
import Foundation
import Synchronization
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageTLS

@Suite(.offThePool) struct WeakChainTests {
  private static let made: Result<TemporaryFolder, any Error> = Result {
    let folder = try TemporaryFolder()
    let names = "-subj /CN=robot -addext subjectAltName=DNS:localhost -addext extendedKeyUsage=serverAuth"
    try Data("subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth\n".utf8)
      .write(to: URL(fileURLWithPath: folder.path("server.ext")))
    var commands: [String] = []
    for (name, key) in [
      ("rsa1024", "rsa:1024"), ("rsa2048", "rsa:2048"), ("p256", "ec -pkeyopt ec_paramgen_curve:P-256"),
    ] {
      commands.append(
        "openssl req -x509 -newkey \(key) -nodes -sha256 -keyout \(name)-root.key -out \(name)-root.pem -subj /CN=\(name) -days 30"
      )
      commands.append(
        "openssl req -x509 -newkey \(key) -nodes -sha256 -keyout \(name).key -out \(name).pem \(names) -days 30")
      commands.append("openssl req -new -key \(name).key -out \(name).csr -subj /CN=robot")
    }
    for (key, root, digest) in cases.map({ ($0.key, $0.root, $0.digest) }) {
      commands.append(
        """
        openssl x509 -req -in \(key).csr -CA \(root)-root.pem -CAkey \(root)-root.key -CAcreateserial -\(digest) \
        -days 30 -extfile server.ext -out \(key)-\(root)-\(digest).pem
        """)
    }
    // A root that signed itself with MD5 is as good as any other, because it is known by its bytes.
    commands.append(
      "openssl req -x509 -key rsa2048-root.key -md5 -out md5-root.pem -subj /CN=rsa2048 -days 30")
    for command in commands { _ = try Command("sh", "-c", "cd \(folder.location) && \(command)").successfulOutput() }
    return folder
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let key: String
    let root: String
    let digest: String
    let weakness: String?

    var testDescription: String { "\(key), signed by \(root) with \(digest)" }
  }

  static let cases: [Case] = [
    Case(key: "p256", root: "p256", digest: "sha256", weakness: nil),
    Case(key: "p256", root: "p256", digest: "sha384", weakness: nil),
    Case(key: "rsa2048", root: "rsa2048", digest: "sha256", weakness: nil),
    Case(key: "p256", root: "rsa2048", digest: "sha512", weakness: nil),
    Case(key: "p256", root: "rsa2048", digest: "sha1", weakness: "CA signature digest algorithm too weak"),
    Case(key: "p256", root: "p256", digest: "sha1", weakness: "CA signature digest algorithm too weak"),
    Case(key: "p256", root: "rsa2048", digest: "md5", weakness: "CA signature digest algorithm too weak"),
    Case(key: "p256", root: "rsa1024", digest: "sha256", weakness: "CA certificate key too weak"),
    Case(key: "rsa1024", root: "p256", digest: "sha256", weakness: "EE certificate key too weak"),
    Case(key: "rsa1024", root: "rsa1024", digest: "md5", weakness: "EE certificate key too weak"),
  ]

  private static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try made.get().path(name))))
  }

  private static func server(certificate: String, key: String) throws -> RawServer {
    func read(_ name: String, _ body: (OpaquePointer?) -> OpaquePointer?) throws -> OpaquePointer? {
      let text = try bytes(name)
      let bio = BIO_new_mem_buf(text, Int32(text.count))
      defer { BIO_free(bio) }
      return body(bio)
    }
    return try RawServer(
      ServerMaterial(
        certificate: try read(certificate) { PEM_read_bio_X509($0, nil, nil, nil) },
        key: try read(key) { PEM_read_bio_PrivateKey($0, nil, nil, nil) }), .init(asksForCertificate: true))
  }

  private static func meet(_ server: RawServer, _ pin: TrustPin) throws -> TrustFailure.Reason? {
    let error = try TLSClientTests.failure(
      try .make(.pinned([pin]), identity: try TLSClientTests.alice()), port: server.port)
    guard case .trust(let failure)? = error else {
      #expect(error == nil)
      return nil
    }
    return failure.reason
  }

  @Test(arguments: cases)
  func `an authority vouches with keys and signatures that cannot be forged, and with no others`(_ chain: Case) throws {
    let name = "\(chain.key)-\(chain.root)-\(chain.digest).pem"
    for authority in ["\(chain.root)-root.pem"] + (chain.root == "rsa2048" ? ["md5-root.pem"] : []) {
      let server = try Self.server(certificate: name, key: "\(chain.key).key")
      let reason = try Self.meet(server, try .authority(try Self.bytes(authority)))
      #expect(reason == chain.weakness.map { .weak($0) })
      let visits = server.stop()
      #expect(visits.count == 1)
      #expect(visits.allSatisfy { $0.isAccepted == (chain.weakness == nil) && $0.received.isEmpty })
      if chain.weakness != nil { #expect(visits.allSatisfy { $0.clientCertificates.isEmpty && $0.alert != nil }) }
    }
  }

  @Test(
    arguments: [("p256", nil), ("rsa2048", nil), ("rsa1024", "its key has a strength of 80 bits")]
      as [(String, String?)])
  func `a pinned key is worth something too`(name: String, weakness: String?) throws {
    let pem = try Self.bytes("\(name).pem")
    let pin = try #require(try Certificate.all(inPEM: pem, what: name)[0].publicKeyPin)
    for pin in [TrustPin.publicKey(pin), try .certificate(pem)] {
      let server = try Self.server(certificate: "\(name).pem", key: "\(name).key")
      #expect(try Self.meet(server, pin) == weakness.map { .weak($0) })
      #expect(server.stop().allSatisfy { $0.isAccepted == (weakness == nil) && $0.received.isEmpty })
    }
  }

  @Test func `the key that was proved is told at every connection, a resumed one too, and no other ever`() throws {
    let told = Mutex<[PublicKeyPin]>([])
    let server = try RawServer(try Material.server("robot"))
    let context = try TLSClientContext.make(
      try TLSClientTests.robotPolicy(), onProof: { pin in told.withLock { $0.append(pin) } })
    for isResumed in [false, true] {
      let client = try BlockingClient(context, port: server.port)
      try client.handshake()
      #expect(client.stream.isResumed == isResumed)
      _ = try client.ask()
    }
    _ = server.stop()
    #expect(told.withLock { $0 } == [try TLSClientTests.pin("robot"), try TLSClientTests.pin("robot")])
    for impostor in [try Material.server("twin"), try Material.thief()] {
      let server = try RawServer(impostor)
      #expect(try TLSClientTests.failure(context, port: server.port) != nil)
      _ = server.stop()
    }
    #expect(told.withLock { $0.count } == 2)
  }
}
