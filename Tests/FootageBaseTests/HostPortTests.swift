import FootageBase
import Testing

@Suite struct HostPortTests {
  @Test(
    arguments: [
      ("robot7.local", "robot7.local", 8443, "robot7.local:8443"), ("robot7:1", "robot7", 1, "robot7:1"),
      ("ROBOT7:65535", "robot7", 65_535, "robot7:65535"), ("192.0.2.1:80", "192.0.2.1", 80, "192.0.2.1:80"),
      ("[::1]", "::1", 8443, "[::1]:8443"), ("[2001:DB8::1]:7", "2001:db8::1", 7, "[2001:db8::1]:7"),
      ("[fe80::1%eth0]:7", "fe80::1%eth0", 7, "[fe80::1%eth0]:7"),
      ("[fe80::1%25eth0]:7", "fe80::1%eth0", 7, "[fe80::1%eth0]:7"),
      ("[f1%eth0]:7", "f1%eth0", 7, "[f1%eth0]:7"),
      // An interface whose name begins like the escape of a percent sign.
      ("[fe80::1%2525x]:7", "fe80::1%25x", 7, "[fe80::1%2525x]:7"), ("a_b-c.d", "a_b-c.d", 8443, "a_b-c.d:8443"),
    ] as [(String, String, UInt16, String)])
  func `a host and a port are read as people write them, and written as URLs have them`(
    text: String, host: String, port: UInt16, written: String
  ) throws {
    let read = try #require(HostPort(text, standardPort: 8443))
    #expect(read.host == host && read.port == port)
    #expect(read.description == written)
    #expect(HostPort(written, standardPort: 1) == read)
  }

  @Test(arguments: [
    "", ":1", "robot:", "robot:0", "robot:65536", "robot:-1", "robot:1x", "robot: 1", "::1", "::1:7", "[::1", "[]",
    "[]:1", "[::1]7", "[::1]:", "[robot]", "[fe80::1%]", "[fe80::1%a/b]", "[fe80::1%sixteen-letters-]", "a b", "a/b",
    "user@robot", "https://robot", "r\u{F6}bot", "robot%eth0",
  ])
  func `what is none is nothing`(text: String) { #expect(HostPort(text, standardPort: 8443) == nil) }

  @Test func `a name may be as long as names are, and no longer`() {
    #expect(HostPort(String(repeating: "a", count: 253), standardPort: 1) != nil)
    #expect(HostPort(String(repeating: "a", count: 254), standardPort: 1) == nil)
  }

  @Test func `an interface is nobody's business but this machine's`() {
    #expect(HostPort(host: "fe80::1%eth0", port: 7).authority == "[fe80::1]:7")
    #expect(HostPort(host: "robot7", port: 7).authority == "robot7:7")
  }
}
