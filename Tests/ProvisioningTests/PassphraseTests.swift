/// The sources of the passphrase of a PKCS#12 file, and the places where it never appears.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct PassphraseTests {
  let certs: CertificateFolder

  init() throws { certs = try CertificateFolder() }

  private func write(_ text: String) throws -> String {
    let path = certs.folder.path("passphrase")
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  @Test(arguments: ["plain", "two words", " edge ", "$HOME `id` \"quoted\" 'too' \\ %s", "gr\u{FC}n \u{1F916}"])
  func `the environment gives it as it is`(passphrase: String) throws {
    try certs.generate("--client", "alice", environment: ["FOOTAGE_P12_PASSPHRASE": passphrase])
    #expect(try certs.opens("clients/alice.p12", passphrase: passphrase))
  }

  @Test(arguments: ["first\nsecond\n", "first", "first\r\nsecond\r\n", "\u{FEFF}first\r\nsecond\r\n"])
  func `the first line of a file is it`(text: String) throws {
    let file = try write(text)
    try certs.generate("--client", "alice", "--passphrase-file", file)
    #expect(try certs.opens("clients/alice.p12", passphrase: "first"))
  }

  @Test(arguments: [Data([0xFF, 0xFE]), Data([0xFE, 0xFF])])
  func `UTF-16 is no passphrase of anything new, and still opens what it has encrypted`(mark: Data) throws {
    let file = certs.folder.path("passphrase")
    let letters = "first\r\n".utf8.flatMap { mark[0] == 0xFF ? [$0, 0] : [0, $0] }
    try (mark + Data(letters)).write(to: URL(fileURLWithPath: file))
    for option in [["--client", "alice", "--passphrase-file"], ["--only", "clients", "--ca-passphrase-file"]] {
      let outcome = try certs.command(option + [file]).run()
      #expect(outcome.status == 1 && outcome.errors.contains("is in UTF-16: save it as UTF-8"), "\(outcome)")
    }
    #expect(!FileManager.default.fileExists(atPath: certs.path("client-ca.key")))
    // Bash, which read the passphrase in earlier versions, drops zero bytes.
    let before = certs.folder.path("before")
    try (mark + Data("first".utf8)).write(to: URL(fileURLWithPath: before))
    try certs.generate("--only", "clients")
    let key = certs.path("client-ca.key")
    let encrypted = try Command(
      "openssl", "pkey", "-in", key, "-aes256", "-passout", "file:\(before)", "-out", key + ".new"
    ).run()
    try #require(encrypted.succeeded, "\(encrypted.errors)")
    #expect(rename(key + ".new", key) == 0)
    try certs.generate("--client", "bob", "--ca-passphrase-file", file)
  }

  @Test func `an authority's key that an earlier version encrypted with a byte order mark opens still`() throws {
    let file = try write("\u{FEFF}first\n")
    try certs.generate("--only", "clients", "--ca-passphrase-file", file)
    let reencrypt = #"""
      printf '\357\273\277first' >"$0.pass"
      openssl pkey -in "$0" -passin pass:first -aes256 -passout "file:$0.pass" -out "$0.new" && mv "$0.new" "$0"
      """#
    try #require(try Command("bash", "-c", reencrypt, certs.path("client-ca.key")).run().succeeded)
    let outcome = try certs.generate("--client", "bob", "--ca-passphrase-file", file)
    #expect(outcome.errors.contains("and the byte order mark before it"), "\(outcome.errors)")
  }

  @Test func `the file may be a pipe`() throws {
    let line = "\"$0\" --out \"$1\" --client alice --client bob --passphrase-file <(echo piped)"
    let outcome = try Command("bash", "-c", line, CertificateFolder.scripts + "/gen-certs.sh", certs.location).run()
    #expect(outcome.succeeded, "\(outcome.errors)")
    #expect(try certs.opens("clients/alice.p12", passphrase: "piped"))
    #expect(try certs.opens("clients/bob.p12", passphrase: "piped"))
  }

  @Test func `a file named outranks the environment`() throws {
    let file = try write("from the file\n")
    try certs.generate(
      "--client", "alice", "--passphrase-file", file, environment: ["FOOTAGE_P12_PASSPHRASE": "from the environment"])
    #expect(try certs.opens("clients/alice.p12", passphrase: "from the file"))
  }

  @Test func `an empty one is refused before anything is made`() throws {
    let inEnvironment = try certs.attempt("--client", "alice", environment: ["FOOTAGE_P12_PASSPHRASE": ""])
    #expect(inEnvironment.status == 1)
    #expect(inEnvironment.errors.contains("FOOTAGE_P12_PASSPHRASE is empty"))
    for (text, complaint) in [("\nsecond\n", "is empty"), ("", "no passphrase in")] {
      let outcome = try certs.attempt("--client", "alice", "--passphrase-file", write(text))
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains(complaint))
    }
    let missing = try certs.attempt("--client", "alice", "--passphrase-file", certs.folder.path("none"))
    #expect(missing.status == 1)
    #expect(missing.errors.contains("no passphrase in"))
    #expect(!certs.exists(""))
  }

  @Test func `a generated one is shown once, on standard error, each client its own`() throws {
    let outcome = try certs.generate("--client", "alice", "--client", "bob")
    let shown = outcome.errors.split(separator: "\n").filter { $0.contains("shown this once") }
      .compactMap { $0.split(separator: " ").last.map(String.init) }
    #expect(shown.count == 2)
    #expect(Set(shown).count == 2)
    #expect(shown.allSatisfy { $0.wholeMatch(of: /([a-km-np-z2-9]{5}-){3}[a-km-np-z2-9]{5}/) != nil })
    #expect(try certs.opens("clients/alice.p12", passphrase: try #require(shown.first)))
    #expect(try certs.opens("clients/bob.p12", passphrase: try #require(shown.last)))
    #expect(shown.allSatisfy { !outcome.output.contains($0) })
    let files = try certs.contents().values.map { String(decoding: $0, as: UTF8.self) }
    #expect(shown.allSatisfy { passphrase in files.allSatisfy { !$0.contains(passphrase) } })
    #expect(try !certs.generate("--client", "alice").errors.contains("passphrase of"))
  }

  @Test func `no secret is ever on openssl's command line`() throws {
    let tools = try TemporaryFolder()
    let log = tools.path("log")
    let openssl = try #require(try Command("which", "openssl").run().lines.first)
    let recorder = "#!/bin/bash\nprintf '%s\\n' \"$@\" >>'\(log)'\nexec \(openssl) \"$@\"\n"
    try tools.addScript("openssl", recorder)
    let path = tools.location + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")
    try certs.generate(
      "--client", "alice", environment: ["FOOTAGE_P12_PASSPHRASE": "open sesame", "PATH": path])
    let arguments = try text(of: log)
    #expect(arguments.contains("pkcs12"))
    #expect(!arguments.contains("sesame"))
    #expect(!arguments.contains("PRIVATE KEY"))
  }

  @Test func `a terminal is asked twice and shows nothing typed`() throws {
    let terminal = try Terminal(certs.command(["--client", "alice"]))
    try terminal.answer("Passphrase for clients/alice.p12: ", with: "typed one")
    try terminal.answer("Repeat the passphrase: ", with: "typed two")
    try terminal.answer("Passphrase for clients/alice.p12: ", with: "typed three")
    try terminal.answer("Repeat the passphrase: ", with: "typed three")
    let (status, shown) = terminal.finish()
    #expect(status == 0, "\(shown)")
    #expect(!shown.contains("typed"))
    #expect(shown.contains("the two passphrases differ"))
    #expect(try certs.opens("clients/alice.p12", passphrase: "typed three"))
  }

  @Test func `nothing typed on a terminal is refused`() throws {
    let terminal = try Terminal(certs.command(["--client", "alice"]))
    try terminal.answer("Passphrase for clients/alice.p12: ", with: "")
    let (status, shown) = terminal.finish()
    #expect(status == 1)
    #expect(shown.contains("the passphrase is empty"))
    #expect(!certs.exists("clients/alice.p12"))
  }
}
