#if !canImport(Darwin)
import Glibc
import Testing

import FootageBase
@testable import FootageSystem

@Suite struct SocketAddressTests {
  @Test(
    arguments: [
      ("127.0.0.1", [127, 0, 0, 1], "127.0.0.1:7"), ("0.0.0.0", [0, 0, 0, 0], "0.0.0.0:7"),
      ("255.255.255.255", [255, 255, 255, 255], "255.255.255.255:7"),
      ("::", [UInt8](repeating: 0, count: 16), "[::]:7"), ("::1", [UInt8](repeating: 0, count: 15) + [1], "[::1]:7"),
      (
        "2001:DB8:0:0:0:0:0:1", [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [1],
        "[2001:db8::1]:7"
      ),
    ] as [(String, [UInt8], String)])
  func `an address is read and shown as people write it`(text: String, bytes: [UInt8], shown: String) throws {
    let address = try #require(SocketAddress(literal: text, port: 7))
    #expect(address.addressBytes == bytes && address.port == 7 && address.zone == 0)
    #expect(address.description == shown)
    #expect(address.isIPv6 == (bytes.count == 16))
    #expect(SocketAddress(literal: address.host, port: 7) == address)
  }

  @Test(arguments: [
    "", "localhost", "1.2.3", "1.2.3.4.5", "256.0.0.1", "01.2.3.4", "[::1]", "::1::", "12345::", "127.0.0.1%lo",
    "fe80::1%", "fe80::1%0", "fe80::1%no-such-interface", "127.0.0.1 ",
  ])
  func `what is a name, or nothing, is no address`(text: String) {
    #expect(SocketAddress(literal: text, port: 7) == nil)
  }

  @Test func `a link-local address says its interface, by name or by number`() throws {
    let loopback = if_nametoindex("lo")
    for text in ["fe80::1%lo", "fe80::1%\(loopback)"] {
      let address = try #require(SocketAddress(literal: text, port: 7))
      #expect(address.zone == loopback)
      #expect(address.description == "[fe80::1%lo]:7" && address.host == "fe80::1")
    }
    // An interface that has disappeared meanwhile keeps its number.
    #expect(
      SocketAddress(addressBytes: [0xFE, 0x80] + Array(repeating: 0, count: 14), port: 7, zone: 1_000_000).description
        == "[fe80::%1000000]:7")
  }

  @Test func `what the kernel says is read back, and IPv4 inside IPv6 is IPv4`() {
    for address in [
      SocketAddress(addressBytes: [192, 0, 2, 1], port: 65_535),
      SocketAddress(addressBytes: [0xFE, 0x80] + [UInt8](1...14), port: 1, zone: 3),
    ] { #expect(unsafe address.withSockAddr { pointer, _ in unsafe SocketAddress(pointer) } == address) }
    let mapped = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 1]
    #expect(
      SocketAddress(ipv6Bytes: mapped, port: 5, zone: 3) == SocketAddress(addressBytes: [192, 0, 2, 1], port: 5))
    // RFC 4291 §2.5.5.1: without the ones, it is another form, which is no longer in use.
    #expect(SocketAddress(ipv6Bytes: mapped.map { $0 == 0xFF ? 0 : $0 }, port: 5).isIPv6)
    var unix = sockaddr()
    unix.sa_family = sa_family_t(AF_UNIX)
    #expect(unsafe SocketAddress(&unix) == nil)
  }

  @Test(
    arguments: [
      ("127.0.0.1", true, false), ("127.255.255.255", true, false), ("128.0.0.1", false, false), ("::1", true, false),
      ("::2", false, false), ("1::1", false, false), ("0.0.0.0", false, true), ("::", false, true),
      ("0.0.0.1", false, false),
    ])
  func `what only this machine reaches is told from what stands for all of it`(
    text: String, isLoopback: Bool, isWildcard: Bool
  ) throws {
    let address = try #require(SocketAddress(literal: text, port: 0))
    #expect(address.isLoopback == isLoopback && address.isWildcard == isWildcard)
  }

  @Test func `an address of IPv4 is one user's, and so is a network of IPv6`() throws {
    func block(_ text: String, port: UInt16 = 1) throws -> AddressBlock {
      try #require(SocketAddress(literal: text, port: port)).block
    }
    #expect(try block("192.0.2.1") == block("192.0.2.1", port: 2))
    #expect(try block("192.0.2.1") != block("192.0.2.2"))
    #expect(try block("2001:db8:0:1::1") == block("2001:db8:0:1:ffff::"))
    #expect(try block("2001:db8:0:1::1") != block("2001:db8:0:2::1"))
    // The bits are equal, but the families differ.
    #expect(try block("0.0.0.1") != block("::1:0:0:0:0"))
  }

  @Test func `a name is looked up, each address once, with the port that was asked for`() throws {
    let addresses = try SocketAddress.lookUp("localhost", port: 4711)
    #expect(!addresses.isEmpty && addresses.allSatisfy { $0.isLoopback && $0.port == 4711 })
    #expect(Set(addresses).count == addresses.count)
    #expect(try SocketAddress.lookUp("192.0.2.1", port: 1).map(\.description) == ["192.0.2.1:1"])
  }
}
#endif
