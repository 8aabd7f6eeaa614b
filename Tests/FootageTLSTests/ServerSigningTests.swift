import FootageDigest
import Foundation
import FootageTLS
import LinuxTestSupport
import Testing
import FootageAPI

@Suite struct ServerSigningTests {
  private func context(_ name: String) throws -> TLSServerContext {
    try TLSServerContext.make(
      TLSServerConfiguration(
        certificatePEM: try Material.file("\(name).pem"), privateKeyPEM: try Material.file("\(name).key")))
  }

  @Test func `what the server signs is by the key that its pin names`() throws {
    let context = try context("robot")
    let key = try context.publicKeyInfo
    #expect(PublicKeyPin(digest: SHA256.hash(key)) == context.certificate.publicKeyPin)
    let bytes = Array("what the robot saw".utf8)
    let signature = try context.sign(bytes)
    #expect(ECDSA.verify(signature, of: bytes, by: key) == .valid)
    #expect(ECDSA.verify(signature, of: bytes + [0], by: key) == .invalid)
    #expect(ECDSA.verify(try context.sign([]), of: [], by: key) == .valid)
    let other = try self.context("twin")
    #expect(ECDSA.verify(signature, of: bytes, by: try other.publicKeyInfo) == .invalid)
  }

  @Test func `two signatures of the same bytes differ, and both are true`() throws {
    let context = try context("robot")
    let (one, other) = (try context.sign([1, 2, 3]), try context.sign([1, 2, 3]))
    #expect(one != other)
    for signature in [one, other] {
      #expect(ECDSA.verify(signature, of: [1, 2, 3], by: try context.publicKeyInfo) == .valid)
    }
  }

  @Test(arguments: [("rsa:2048", "RSA"), ("ec -pkeyopt ec_paramgen_curve:P-521", "secp521r1")])
  func `a key that cannot sign manifests says which one can`(key: String, kind: String) throws {
    let folder = try TemporaryFolder()
    let made = try Command(
      "sh", "-c",
      "openssl req -x509 -newkey \(key) -nodes -subj /CN=x -days 30 -keyout \(folder.path("k")) -out \(folder.path("c"))"
    ).run()
    try #require(made.succeeded, "\(made.errors)")
    func file(_ name: String) throws -> [UInt8] {
      Array(try Data(contentsOf: URL(fileURLWithPath: folder.path(name))))
    }
    let context = try TLSServerContext.make(
      TLSServerConfiguration(certificatePEM: try file("c"), privateKeyPEM: try file("k")))
    #expect(throws: TLSError.keyDoesNotSign(kind: kind)) { try context.checkSigning() }
    #expect(throws: TLSError.keyDoesNotSign(kind: kind)) { _ = try context.sign([1]) }
    #expect(
      TLSError.keyDoesNotSign(kind: kind).description
        == "the server's key (\(kind)) cannot sign manifests: prepare one on P-256 with scripts/gen-certs.sh --next")
  }

  @Test func `several threads may sign at once`() async throws {
    let context = try context("robot")
    let key = try context.publicKeyInfo
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<64 {
        group.addTask {
          let bytes = [UInt8](repeating: UInt8(number), count: 100_000)
          return ECDSA.verify(try context.sign(bytes), of: bytes, by: key) == .valid
        }
      }
      for try await isValid in group { #expect(isValid) }
    }
  }
}
