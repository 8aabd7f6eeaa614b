/// `--sign`: certificates for keys that stay with the viewer.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct RequestTests {
  let certs: CertificateFolder

  init() throws {
    certs = try CertificateFolder()
    try certs.generate("--only", "clients")
  }

  static let curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]

  /// Makes a request, with its key next to it as NAME.key.
  private func request(
    _ name: String, subject: String? = nil, key: [String] = curve, _ more: String...
  ) throws -> String {
    let path = certs.folder.path("\(name).csr")
    let arguments =
      ["req", "-new", "-noenc", "-keyout", certs.folder.path("\(name).key"), "-subj", subject ?? "/CN=\(name)"] + key
      + ["-out", path] + more
    let outcome = try Command("openssl", arguments: arguments).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return path
  }

  @Test(arguments: [
    curve, ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"], ["-newkey", "rsa:2048"], ["-newkey", "rsa:3072"],
    curve + ["-outform", "DER"],
  ])
  func `a request becomes a certificate for its key and name, and for nothing else that it asks for`(
    key: [String]
  ) throws {
    let path = try request(
      "alice", subject: "/O=Acme/CN=alice", key: key, "-addext", "basicConstraints=critical,CA:TRUE", "-addext",
      "extendedKeyUsage=serverAuth")
    let outcome = try certs.generate("--sign", path)
    #expect(outcome.output.isEmpty)
    #expect(try certs.admits("alice"))
    let text = try certs.certificateText("clients/alice.pem")
    #expect(text.contains("Subject: CN = alice\n") && text.contains("CA:FALSE") && !text.contains("Server Auth"))
    let own = try certs.openssl("pkey", "-in", certs.folder.path("alice.key"), "-pubout").output
    #expect(try certs.publicKey(ofCertificate: "clients/alice.pem") == own)
    // Only the authority's key is here.
    let keys = try certs.contents().filter { String(decoding: $0.value, as: UTF8.self).contains("PRIVATE KEY") }.keys
    #expect(keys.sorted() == ["client-ca.key"])
    #expect(!certs.exists("clients/alice.p12"))
  }

  @Test func `key and certificate make the file that an app takes`() throws {
    try certs.generate("--sign", request("alice"))
    let made = try certs.openssl(
      "pkcs12", "-export", "-inkey", certs.folder.path("alice.key"), "-in", certs.path("clients/alice.pem"), "-passout",
      "pass:x", "-out", certs.path("alice.p12"))
    #expect(made.succeeded, "\(made.errors)")
    #expect(try certs.opens("alice.p12", passphrase: "x"))
  }

  @Test(arguments: [
    (["-newkey", "rsa:1024"], "RSA key of 1024 bits"),
    (["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-224"], "P-256"),
    (["-newkey", "ed25519"], "P-256"), (["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:secp256k1"], "P-256"),
  ])
  func `a key that is too weak, or that not everybody knows, is refused`(key: [String], complaint: String) throws {
    let before = try certs.contents()
    let outcome = try certs.attempt("--sign", request("alice", key: key))
    #expect(outcome.status == 1 && outcome.errors.contains(complaint), "\(outcome.errors)")
    #expect(try certs.contents() == before)
  }

  @Test(arguments: [
    "/O=Acme", "/CN=..\\/up", "/CN=a b", "/CN=.hidden", "/CN=a/CN=b", "/CN=m\u{FC}ller",
  ])
  func `a name that is no client's, or two of them, is refused`(subject: String) throws {
    let path = try request("odd", subject: subject, key: Self.curve + ["-utf8"])
    let outcome = try certs.attempt("--sign", path)
    #expect(outcome.status == 1 && outcome.errors.contains("exactly one common name"), "\(outcome.errors)")
    #expect(try certs.names(in: "clients") == [])
  }

  @Test func `a request that was changed on its way is refused`() throws {
    let path = try request("alice")
    let der = try Command("bash", "-c", "openssl req -in \"$0\" -outform DER | base64 -w0", path).run().output
    var bytes = [UInt8](try #require(Data(base64Encoded: der)))
    let name = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("alice".utf8)) })
    bytes[name + 4] = UInt8(ascii: "a")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    let outcome = try certs.attempt("--sign", path)
    #expect(outcome.status == 1 && outcome.errors.contains("signature"), "\(outcome.errors)")
    #expect(try certs.names(in: "clients") == [])
  }

  @Test(arguments: ["", "no request", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"])
  func `what is no request is refused`(text: String) throws {
    let path = certs.folder.path("odd.csr")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    #expect(try certs.attempt("--sign", path).errors.contains("not a certificate request"))
    try Data(count: 100_000).write(to: URL(fileURLWithPath: path))
    #expect(try certs.attempt("--sign", path).errors.contains("too large"))
    #expect(try certs.attempt("--sign", certs.folder.path("none")).errors.contains("cannot read the request"))
  }

  @Test func `a second key for a name shuts the first one out, and only when that is meant`() throws {
    let first = try request("alice")
    try certs.generate("--sign", first)
    let before = try certs.contents()
    #expect(try certs.generate("--sign", first).errors.contains("kept clients/alice.pem"))
    #expect(try certs.contents() == before)
    let second = try request("alice")
    let outcome = try certs.attempt("--sign", second)
    #expect(outcome.status == 1 && outcome.errors.contains("--force"))
    #expect(try certs.contents() == before)
    try certs.generate("--sign", second, "--force")
    #expect(try certs.admits("alice"))
    #expect(try certs.revocationCount() == 1)
  }

  @Test func `a key that was shut out is signed under no name`() throws {
    let path = try request("alice")
    try certs.generate("--sign", path)
    try certs.generate("--revoke", "alice")
    let again = try certs.attempt("--sign", path, "--force")
    #expect(again.status == 1 && again.errors.contains("was revoked: have a new one made"))
    let other = try request("bob", key: ["-key", certs.folder.path("alice.key")])
    #expect(try certs.attempt("--sign", other).errors.contains("was revoked: have a new one made"))
    #expect(try certs.attempt("--sign", request("alice")).errors.contains("'alice' was revoked"))
    try certs.generate("--sign", certs.folder.path("alice.csr"), "--force")
    #expect(try certs.admits("alice"))
  }

  @Test(arguments: ["--sign", "--client"])
  func `a client's certificate ends after the days asked for`(option: String) throws {
    let value = option == "--sign" ? try request("alice") : "alice"
    try certs.generate(option, value, "--client-days", "90", environment: ["FOOTAGE_P12_PASSPHRASE": "x"])
    let left = try certs.validity("clients/alice.pem").upperBound - Int(Date().timeIntervalSince1970)
    #expect((89 * 86_400...90 * 86_400 + 60).contains(left))
  }

  @Test func `a name is asked for once in a run`() throws {
    let path = try request("alice")
    #expect(try certs.attempt("--sign", path, "--client", "alice").status == 64)
    let other = certs.folder.path("other.csr")
    try FileManager.default.copyItem(atPath: path, toPath: other)
    #expect(try certs.attempt("--sign", path, "--sign", other).errors.contains("two of the requests"))
  }
}
