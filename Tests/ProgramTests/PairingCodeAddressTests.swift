import FootageClient
import FootageServing
import FootageSystem
import FootageTLS
import LinuxTestSupport
import Testing

@testable import FootageCommands

/// The addresses in a robot's pairing code.
@Suite struct PairingCodeAddressTests {
  private static func interface(
    _ name: String, _ addresses: String..., isWireless: Bool = false, hasDefaultRoute: Bool = false
  ) -> NetworkInterface {
    NetworkInterface(
      name, addresses.map { required(SocketAddress(literal: $0, port: 8443)) }, isWireless: isWireless,
      hasDefaultRoute: hasDefaultRoute)
  }

  private static let machine = [
    interface("eth0", "192.0.2.7", "2001:db8::7"), interface("eth1", "198.51.100.7", "203.0.113.7", "2001:db8::8"),
  ]
  private static let names: [Certificate.SubjectName] = [
    .host("localhost"), .host("robot"), .address([127, 0, 0, 1]), .host("robot.example.org"), .host("robot.local"),
    .host("*.example.org"), .host("third.example.org"), .address([198, 51, 100, 7]), .address([203, 0, 113, 9]),
    .address([0, 0, 0, 0]),
  ]

  private static func addresses(
    _ listen: String, names: [Certificate.SubjectName] = names, machine: [NetworkInterface] = machine,
    hostName: String? = nil
  ) throws -> [String] {
    PairingCode.addresses(try ListenAddress(listen), names, machine: machine, hostName: hostName).map(\.description)
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

  @Test(
    arguments: [
      // The third network is the one that people use.
      (
        [
          interface("eth0", "192.168.5.1"), interface("eth1", "192.168.6.1"),
          interface("wlan0", "10.1.2.3", isWireless: true),
        ], ["10.1.2.3", "192.168.5.1", "192.168.6.1"]
      ),
      // Networks of containers and virtual machines within the machine are not listed.
      (
        [
          interface("docker0", "172.17.0.1"), interface("br-1a2b3c4d5e6f", "172.18.0.1"),
          interface("virbr0", "192.168.122.1"), interface("veth1", "10.9.9.9"), interface("lxcbr0", "10.0.3.1"),
          interface("wlx00c0", "10.1.2.3"),
        ], ["10.1.2.3"]
      ),
      // A router's bridge is not a container's.
      ([interface("br-lan", "192.168.1.1"), interface("br-0123456789a", "10.1.2.3")], ["192.168.1.1", "10.1.2.3"]),
      // Tunnels come last.
      (
        [
          interface("wg0", "10.8.0.2"), interface("tailscale0", "100.101.102.103"),
          interface("wlan0", "10.1.2.3", isWireless: true), interface("eth0", "192.168.5.1"),
          interface("eth1", "192.168.6.1", hasDefaultRoute: true),
        ], ["10.1.2.3", "192.168.6.1", "192.168.5.1", "10.8.0.2", "100.101.102.103"]
      ),
      ([interface("eth0", "2001:db8::7")], ["2001:db8::7"]),
      // One address of each network, up to six.
      ((1...9).map { interface("eth\($0)", "10.0.\($0).1", "10.0.\($0).2") }, (1...6).map { "10.0.\($0).1" }),
    ] as [([NetworkInterface], [String])])
  func `one address of each network is said, those of people first`(
    _ machine: [NetworkInterface], _ numbers: [String]
  ) throws {
    let shown = numbers.map { $0.contains(":") ? "[\($0)]:8443" : "\($0):8443" }
    #expect(try Self.addresses("8443", names: [], machine: machine) == shown)
  }

  @Test func `the machine's present name goes before one that it had`() throws {
    let names: [Certificate.SubjectName] = [
      .host("raspberrypi"), .host("raspberrypi.local"), .host("robot7"), .host("robot7.local"),
    ]
    #expect(
      try Self.addresses("8443", names: names, machine: [], hostName: "Robot7") == [
        "robot7.local:8443", "robot7:8443", "raspberrypi.local:8443",
      ])
  }

  @Test func `where the robot serves at one address, others are none`() throws {
    #expect(
      try Self.addresses("[2001:db8::7]:9443", names: [.host("robot.local")]) == [
        "robot.local:9443", "[2001:db8::7]:9443",
      ])
    #expect(try Self.addresses("127.0.0.1:9443") == ["127.0.0.1:9443"])
    #expect(try Self.addresses("localhost:9443") == ["localhost:9443"])
  }

  @Test(
    arguments: [
      (["--at", "robot7.example.org"], ["robot7.example.org:9443"]),
      // A bare IPv6 address has no port, however many colons it contains.
      (["--at", "2001:db8::7"], ["[2001:db8::7]:9443"]), (["--at", "[2001:db8::7]:1"], ["[2001:db8::7]:1"]),
      (["--at", "192.0.2.7", "--at", "192.0.2.7:9443", "--at", "fd00::1"], ["192.0.2.7:9443", "[fd00::1]:9443"]),
      ([], nil),
    ])
  func `what a person says stands in place of what the machine knows`(words: [String], expected: [String]?) throws {
    let arguments = try ParsedArguments(words, for: Usage("pair", "Pairs.", options: PairingCode.options)) { _ in nil }
    #expect(try PairingCode.said(arguments, port: 9_443)?.map(\.description) == expected)
  }

  @Test func `more addresses than a code can say, and what is none, are refused`() throws {
    let usage = Usage("pair", "Pairs.", options: PairingCode.options)
    for words in [(1...20).flatMap { ["--at", "192.0.2.\($0)"] }, ["--at", "a b"], ["--at", ""]] {
      let arguments = try ParsedArguments(words, for: usage) { _ in nil }
      #expect(throws: UsageError.self, "\(words)") { try PairingCode.said(arguments, port: 9_443) }
    }
  }
}
