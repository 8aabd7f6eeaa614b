import Testing

@testable import FootageCore

/// What Avahi's program prints, and what others may have it print.
@Suite struct AvahiListingTests {
  private static let pin = "sha256/SDDfEqlPFzegAYJx64rZkiXM1XS7lV4smWiyd+v/j4A="
  private static let start = "=;eth0;IPv4;Footage\\032on\\032robot7;_footage._tcp;local;robot7.local;"

  @Test func `lines of one robot are one robot, with all its addresses`() {
    let text = """
      +;eth0;IPv4;Footage\\032on\\032robot7;_footage._tcp;local
      \(Self.start)192.0.2.7;8443;"pin=\(Self.pin)" "path=/" "txtvers=1"
      \(Self.start)192.0.2.7;8443;"path=/"
      \(Self.start)2001:db8::7;8443;"path=/"
      =;eth0;IPv4;Arm;_footage._tcp;local;arm.local;192.0.2.9;1;
      """
    let robots = AvahiListing.robots(in: text)
    #expect(robots.map(\.name) == ["Arm", "Footage on robot7"])
    #expect(robots.map(\.host) == ["arm.local", "robot7.local"] && robots.map(\.port) == [1, 8443])
    #expect(
      robots.map(\.addresses) == [
        [[192, 0, 2, 9]], [[192, 0, 2, 7], [0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [7]],
      ])
    #expect(robots.map(\.pin?.description) == [nil, Self.pin])
  }

  @Test(arguments: [
    ("a\\.b\\\\c", "a.b\\c"), ("\\195\\188", "ü"), ("\\059", ";"), ("end\\", "end\\"), ("\\99", "99"), ("\\999", "999"),
  ])
  func `names are read as they were meant`(escaped: String, name: String) {
    let line = "=;eth0;IPv4;\(escaped);_footage._tcp;local;x.local;192.0.2.7;8443;"
    #expect(AvahiListing.robots(in: line).map(\.name) == [name])
  }

  @Test(arguments: [
    "", "nonsense", "=;;;;;;;;;", "=;eth0;IPv4;x;_other._tcp;local;x.local;192.0.2.7;8443;",
    "=;eth0;IPv4;x;_footage._tcp;local;x.local;192.0.2.7;0;",
    "=;eth0;IPv4;x;_footage._tcp;local;x.local;192.0.2.7;70000;", "=;eth0;IPv4;x;_footage._tcp;local;;192.0.2.7;8443;",
    "=;eth0;IPv4;x;_footage._tcp;local;x.local;192.0.2.7;8443",
  ])
  func `what is no robot is left out`(line: String) { #expect(AvahiListing.robots(in: line).isEmpty) }

  @Test func `a pin that is none, and an address that is none, are not shown`() {
    let robots = AvahiListing.robots(in: #"=;eth0;IPv4;x;_footage._tcp;local;x.local;nowhere;8443;"pin=sha256/x""#)
    #expect(robots.count == 1 && robots.allSatisfy { $0.addresses.isEmpty && $0.pin == nil })
  }
}
