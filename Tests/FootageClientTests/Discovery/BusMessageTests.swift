import LinuxTestSupport
import Testing

@testable import FootageCore

/// Messages of D-Bus, as Avahi sends them and as other programs might.
@Suite struct BusMessageTests {
  private static let found = BusMessage(
    .signal, serial: 7, path: "/Client1/ServiceResolver2", interface: "org.freedesktop.Avahi.ServiceResolver",
    member: "Found", sender: ":1.4",
    body: [
      .int32(-2), .int32(0), .string("Arm №2"), .byte(3), .uint16(8443), .byteStrings([Array("pin=x".utf8), []]),
      .bytes([1, 2]), .objectPath("/"), .uint32(5),
    ])

  /// A call without a body, byte by byte according to the specification.
  @Test func `a call is written as the specification has it`() {
    let hello = BusMessage(
      .call, serial: 1, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "Hello",
      destination: "org.freedesktop.DBus")
    let head: [UInt8] = [
      0x6C, 1, 2, 1,  // Least significant byte first, a call, no service is started for it, version 1.
      0, 0, 0, 0,  // The number of bytes in its body.
      1, 0, 0, 0,  // Its serial number.
      109, 0, 0, 0,  // The number of bytes in its fields.
      1, 1, 0x6F, 0, 21, 0, 0, 0,  // The path, an object path of 21 bytes.
    ]
    #expect(hello.bytes.starts(with: head + Array("/org/freedesktop/DBus".utf8) + [0, 0, 0]))
    #expect(hello.bytes.count == 128)
    #expect((try? BusMessage(hello.bytes[...])) == hello)
  }

  @Test func `what is written is read, and how long it is is known from its head`() throws {
    let bytes = Self.found.bytes
    #expect(try BusMessage(bytes[...]) == Self.found)
    #expect(try BusMessage.length(of: bytes[..<16]) == bytes.count)
    #expect(try BusMessage.length(of: bytes[..<15]) == nil)
    // A message can begin anywhere in an array.
    let later = [9, 9, 9] + bytes
    #expect(try BusMessage(later[3...]) == Self.found)
  }

  @Test func `the most significant byte may come first`() throws {
    // A signal "a.b" of "/": PATH, INTERFACE, MEMBER, SIGNATURE "q", and the number 0x0102.
    let fields: [UInt8] =
      [1, 1, 0x6F, 0, 0, 0, 0, 1, 0x2F, 0, 0, 0, 0, 0, 0, 0]  // o "/"
      + [2, 1, 0x73, 0, 0, 0, 0, 3, 0x61, 0x2E, 0x62, 0, 0, 0, 0, 0]  // s "a.b"
      + [3, 1, 0x73, 0, 0, 0, 0, 1, 0x63, 0, 0, 0, 0, 0, 0, 0]  // s "c"
      + [8, 1, 0x67, 0, 1, 0x71, 0]  // g "q"
    let bytes = [0x42, 4, 0, 1, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, UInt8(fields.count)] + fields + [0, 1, 2]
    let message = try BusMessage(bytes[...])
    #expect(
      message == BusMessage(.signal, serial: 9, path: "/", interface: "a.b", member: "c", body: [.uint16(0x0102)]))
  }

  @Test func `what is cut off, or longer than it says, is malformed`() {
    let bytes = Self.found.bytes
    for count in bytes.indices {
      #expect(throws: BusMessage.Malformed.self) { try BusMessage(bytes[..<count]) }
    }
    #expect(throws: BusMessage.Malformed.self) { try BusMessage((bytes + [0])[...]) }
  }

  @Test func `lengths that nobody would send are refused before anything is read`() {
    for place in [4, 12] {
      var bytes = Self.found.bytes
      bytes.replaceSubrange(place..<(place + 4), with: [0, 0, 0, 0x7F])
      #expect(throws: BusMessage.Malformed.self) { try BusMessage.length(of: bytes[...]) }
    }
    for wrong: [UInt8] in [Array("HTTP/1.1 400 Bad".utf8), [0x6C, 4, 0, 2] + [UInt8](repeating: 0, count: 12)] {
      #expect(throws: BusMessage.Malformed.self) { try BusMessage.length(of: wrong[...]) }
    }
  }

  @Test func `whatever is changed in it, it is read or refused, and what is read can be written`() throws {
    var random = SeededGenerator(seed: TestRun.seed(of: "messages of D-Bus"))
    var readCount = 0
    for _ in 0..<20_000 {
      var bytes = Self.found.bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      guard let message = try? BusMessage(bytes[...]) else { continue }
      readCount += 1
      #expect(try BusMessage(message.bytes[...]) == message)
    }
    #expect(readCount > 100)
  }
}
