import FootageClient
import Networking
import FootageSystem
import TLS
import LinuxTestSupport
import Testing

@testable import footage

/// Which addresses a robot's code says.
@Suite struct PairingCodeAddressTests {
  private static let machine = ["192.0.2.7", "198.51.100.7", "203.0.113.7", "2001:db8::7", "2001:db8::8"].map {
    required(SocketAddress(literal: $0, port: 8443))
  }
  private static let names: [Certificate.SubjectName] = [
    .host("localhost"), .host("robot"), .address([127, 0, 0, 1]), .host("robot.example.org"), .host("robot.local"),
    .host("*.example.org"), .host("third.example.org"), .address([198, 51, 100, 7]), .address([203, 0, 113, 9]),
    .address([0, 0, 0, 0]),
  ]

  private static func addresses(
    _ listen: String, names: [Certificate.SubjectName] = names, machine: [SocketAddress] = machine
  ) throws -> [String] {
    PairingCode.addresses(try ListenAddress(listen), names, machine: machine).map(\.description)
  }

  @Test func `names come first, then numbers of the machine, then those of the certificate, and each once`() throws {
    #expect(
      try Self.addresses("8443") == [
        "robot.local:8443", "robot.example.org:8443", "third.example.org:8443", "192.0.2.7:8443", "198.51.100.7:8443",
        "[2001:db8::7]:8443", "203.0.113.9:8443",
      ])
    #expect(try Self.addresses("[::]:9443", names: []).first == "192.0.2.7:9443")
    #expect(try Self.addresses("8443", names: [], machine: []) == [])
  }

  @Test func `where the robot serves at one address, others are none`() throws {
    #expect(
      try Self.addresses("[2001:db8::7]:9443", names: [.host("robot.local")]) == [
        "robot.local:9443", "[2001:db8::7]:9443",
      ])
    #expect(try Self.addresses("127.0.0.1:9443") == ["127.0.0.1:9443"])
    #expect(try Self.addresses("localhost:9443") == ["localhost:9443"])
  }
}
