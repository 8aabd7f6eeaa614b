/// The wrong usage that `gen-certs.sh` refuses, and its messages.
import Foundation
import LinuxTestSupport
import Testing

@Suite struct UsageTests {
  @Test func `help lists every option on standard output`() throws {
    let outcome = try Command(CertificateFolder.scripts + "/gen-certs.sh", "--help").run()
    #expect(outcome.status == 0)
    for option in [
      "--out", "--name", "--ip", "--client", "--rsa", "--modern", "--days", "--next", "--promote", "--force",
      "--revoke", "--passphrase-file", "--only", "--sign", "--client-days", "--ca-passphrase-file", "--renew",
      "--this-host", "--site-ca",
    ] {
      #expect(outcome.output.contains(option), "\(option)")
    }
  }

  @Test(arguments: [
    ["--days", "826"], ["--days", "0"], ["--days", "-1"], ["--days", "ten"], ["--days", "99999999999999999999"],
    ["--name", "a b"], ["--name", "a..b"], ["--name", "-a"], ["--name", "robot,IP:1.2.3.4"], ["--name", "10.0.0.1"],
    ["--name", "rob\u{F6}t"], ["--name", "a\nb"], ["--name", "a.*.b"],
    ["--ip", "256.1.1.1"], ["--ip", "1.2.3"], ["--ip", "01.2.3.4"], ["--ip", "robot"], ["--ip", "::1::"],
    ["--ip", "1:2:3:4:5:6:7"], ["--ip", "1:2:3:4:5:6:7:8:9"], ["--ip", "fe80::1%eth0"], ["--ip", "12345::"],
    ["--ip", ":1:2:3:4:5:6:7"], ["--ip", "1::2:"], ["--ip", "10.0.0.0/8"], ["--ip", "[::1]"],
    ["--client", ".hidden"], ["--client", "../up"], ["--client", "a/b"], ["--client", "a b"], ["--client", "-a"],
    ["--client", "a\nb"], ["--client", String(repeating: "a", count: 65)], ["--revoke", "a=b"],
    ["--client"], ["--client", "--force"], ["--name", ""], ["--next", "--promote"], ["--frobnicate"], ["robot"],
  ])
  func `a wrong option is named and nothing is made`(arguments: [String]) throws {
    let certs = try CertificateFolder()
    let outcome = try certs.command(arguments).run()
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(arguments[0]))
    #expect(outcome.errors.contains("--help"))
    #expect(!certs.exists(""))
  }

  @Test func `a missing openssl is reported with what to install`() throws {
    let certs = try CertificateFolder()
    let tools = try TemporaryFolder()
    for tool in ["bash", "dirname", "readlink"] {
      try FileManager.default.createSymbolicLink(atPath: tools.path(tool), withDestinationPath: "/usr/bin/" + tool)
    }
    var command = certs.command([])
    command.program = "/usr/bin/bash"
    command.arguments.insert(CertificateFolder.scripts + "/gen-certs.sh", at: 0)
    command.environment["PATH"] = tools.location
    let outcome = try command.run()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("apt-get install openssl"))
  }

  @Test func `a folder that cannot be made is reported`() throws {
    let folder = try TemporaryFolder()
    try Data().write(to: URL(fileURLWithPath: folder.path("file")))
    let outcome = try Command(
      CertificateFolder.scripts + "/gen-certs.sh", "--out", folder.path("file") + "/certs"
    ).run()
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("name one with --out"))
  }

  @Test func `the scripts pass shellcheck`() throws {
    let scripts = ["", "/lib", "/gen-certs"].flatMap { folder in
      let location = CertificateFolder.scripts + folder
      let names = (try? FileManager.default.contentsOfDirectory(atPath: location)) ?? []
      return names.filter { $0.hasSuffix(".sh") }.map { location + "/" + $0 }
    }
    try #require(scripts.contains { $0.hasSuffix("/gen-certs.sh") })
    let outcome = try Command("shellcheck", arguments: scripts).run()
    #expect(outcome.succeeded, "\(outcome.output)\(outcome.errors)")
  }
}
