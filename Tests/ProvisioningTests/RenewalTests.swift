/// `--renew`, which a timer runs: it keeps the key and the names, and does nothing as long as there is time.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct RenewalTests {
  let certs: CertificateFolder

  init() throws { certs = try CertificateFolder() }

  @Test(arguments: [(20, true), (59, true), (61, false), (825, false)])
  func `a certificate with less than 60 days left is issued again, and another one stays`(
    days: Int, isRenewed: Bool
  ) throws {
    try certs.generate("--days", "\(days)", "--name", "one.example", "--ip", "10.0.0.1", "--client", "alice")
    let before = try certs.contents()
    let names = try certs.subjectAlternativeNames()
    let outcome = try certs.generate("--renew")
    #expect(outcome.errors.contains("is left unchanged") != isRenewed)
    #expect(outcome.output.isEmpty)
    let after = try certs.contents()
    let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
    #expect(changed == (isRenewed ? ["server.pem", "server.cer"] : []))
    #expect(try certs.subjectAlternativeNames() == names)
    #expect(try certs.publicKey(ofCertificate: "server.pem") == certs.publicKey(ofKey: "server.key"))
    if isRenewed { #expect(try certs.validity().count == 825 * 86_400) }
  }

  @Test func `a robot without the authority's key renews as well, and gets none`() throws {
    try certs.generate("--days", "50", "--only", "server")
    let pin = try certs.bytes("server.pin")
    try certs.generate("--renew", "--days", "90")
    #expect(try certs.validity().count == 90 * 86_400)
    #expect(try certs.bytes("server.pin") == pin)
    #expect(try certs.names().filter { $0.contains("ca") } == [])
  }

  @Test func `the next key's certificate is renewed with it`() throws {
    try certs.generate("--days", "50", "--next")
    let next = try certs.fingerprint("server-next.pem")
    let pin = try certs.bytes("server-next.pin")
    try certs.generate("--renew")
    #expect(try certs.fingerprint("server-next.pem") != next)
    #expect(try certs.bytes("server-next.pin") == pin)
  }

  @Test func `what cannot be renewed is refused, and left as it is`() throws {
    let nothing = try certs.attempt("--renew")
    #expect(nothing.status == 1 && nothing.errors.contains("there is no server.pem"))
    #expect(!certs.exists(""))
    try certs.generate("--days", "50")
    let key = try certs.bytes("server.key")
    try certs.remove("server.key")
    #expect(try certs.attempt("--renew").errors.contains("restore server.key"))
    let other = try CertificateFolder()
    try other.generate()
    try other.bytes("server.key").write(to: URL(fileURLWithPath: certs.path("server.key")))
    let foreign = try certs.attempt("--renew")
    #expect(foreign.status == 1 && foreign.errors.contains("belongs to another key"))
    try key.write(to: URL(fileURLWithPath: certs.path("server.key")))
    try certs.generate("--renew")
  }

  @Test func `a certificate from another authority is left alone`() throws {
    try certs.generate()
    let request = certs.folder.path("request.csr")
    _ = try certs.openssl("req", "-new", "-key", certs.path("server.key"), "-subj", "/CN=robot", "-out", request)
    let line = """
      openssl x509 -req -in "$0" -CA "$1/client-ca.pem" -CAkey "$1/client-ca.key" -days 5 \
      -extfile <(echo subjectAltName=DNS:robot) -out "$1/server.pem"
      """
    try #require(try Command("bash", "-c", line, request, certs.location).run().succeeded)
    let before = try certs.bytes("server.pem")
    let outcome = try certs.generate("--renew")
    #expect(outcome.errors.contains("issued by someone else"))
    #expect(try certs.bytes("server.pem") == before)
  }

  @Test func `a run that is killed leaves the old certificate or the new one`() throws {
    try certs.generate("--days", "50", "--only", "server")
    let tools = try TemporaryFolder()
    let old = try certs.fingerprint()
    for call in 1...2 {
      let killer = """
        #!/bin/bash
        printf x >>'\(tools.path("calls\(call)"))'
        if [[ $(wc -c <'\(tools.path("calls\(call)"))') -ge \(call) ]]; then kill -9 0; fi
        exec /bin/mv "$@"
        """
      try tools.addScript("mv", killer)
      var command = certs.command(["--renew"], environment: ["PATH": tools.location + ":/usr/bin:/bin"])
      command.arguments = ["-w", command.program] + command.arguments
      command.program = "setsid"
      #expect(try !command.run().succeeded)
      #expect(try certs.publicKey(ofCertificate: "server.pem") == certs.publicKey(ofKey: "server.key"))
      if call == 1 { #expect(try certs.fingerprint() == old) }
    }
    try certs.generate("--only", "server")
    let digest = try certs.openssl(
      "x509", "-inform", "DER", "-in", certs.path("server.cer"), "-noout", "-fingerprint", "-sha256")
    #expect(digest.output == (try certs.fingerprint()))
  }
}
