@testable import FootageCore
import LinuxTestSupport
import Testing

/// The requests to Avahi, and the results of its answers.
@Suite struct AvahiSessionTests {
  static let pin = "sha256/SDDfEqlPFzegAYJx64rZkiXM1XS7lV4smWiyd+v/j4A="

  static func item(_ member: String, _ name: String, interface: Int32 = 1) -> BusMessage {
    BusMessage(
      .signal, serial: 9, path: "/Client1/ServiceBrowser1", interface: "org.freedesktop.Avahi.ServiceBrowser",
      member: member, sender: ":1.4",
      body: [.int32(interface), .int32(0), .string(name), .string("_footage._tcp"), .string("local"), .uint32(4)])
  }

  static func found(
    _ name: String, host: String = "arm.local", address: String = "192.0.2.9", port: UInt16 = 8443,
    text: [String] = ["txtvers=1", "pin=\(pin)"], interface: Int32 = 1
  ) -> BusMessage {
    BusMessage(
      .signal, serial: 10, path: "/Client1/ServiceResolver1", interface: "org.freedesktop.Avahi.ServiceResolver",
      member: "Found", sender: ":1.4",
      body: [
        .int32(interface), .int32(0), .string(name), .string("_footage._tcp"), .string("local"), .string(host),
        .int32(0), .string(address), .uint16(port), .byteStrings(text.map { Array($0.utf8) }), .uint32(4),
      ])
  }

  static func answer(to call: BusMessage, _ body: BusValue...) -> BusMessage {
    BusMessage(.answer, serial: 11, answered: call.serial, body: body)
  }

  @Test func `Avahi is asked for robots on all interfaces, and whether it is still there`() {
    var session = AvahiSession()
    let said = session.start()
    #expect(said.map(\.member) == ["Hello", "AddMatch", "ServiceBrowserNew"] && Set(said.map(\.serial)).count == 3)
    #expect(said[2].destination == "org.freedesktop.Avahi" && said[2].path == "/")
    #expect(said[2].body == [.int32(-1), .int32(-1), .string("_footage._tcp"), .string(""), .uint32(0)])
  }

  @Test func `a robot that comes is resolved, is there, moves, and goes`() throws {
    var session = AvahiSession()
    _ = session.start()
    let resolve = try #require(try session.receive(Self.item("ItemNew", "Arm")).said.first)
    #expect(resolve.member == "ServiceResolverNew")
    #expect(
      resolve.body == [
        .int32(1), .int32(0), .string("Arm"), .string("_footage._tcp"), .string("local"), .int32(-1), .uint32(0),
      ])
    #expect(session.robots.isEmpty)
    #expect(try session.receive(Self.answer(to: resolve, .objectPath("/Client1/ServiceResolver1"))).said.isEmpty)
    #expect(try session.receive(Self.found("Arm")).hasChanged)
    #expect(session.robots.map(\.name) == ["Arm"] && session.robots.first?.pinHint?.description == Self.pin)
    #expect(session.robots.first?.addresses.map(\.description) == ["arm.local:8443", "192.0.2.9:8443"])
    #expect(try !session.receive(Self.found("Arm")).hasChanged)
    #expect(try session.receive(Self.found("Arm", address: "192.0.2.10", port: 9443, text: [])).hasChanged)
    #expect(session.robots.first?.addresses.map(\.description) == ["arm.local:9443", "192.0.2.10:9443"])
    #expect(session.robots.first?.pinHint == nil)
    let (said, hasChanged) = try session.receive(Self.item("ItemRemove", "Arm"))
    #expect(said.map(\.member) == ["Free"] && said.first?.path == "/Client1/ServiceResolver1" && hasChanged)
    #expect(session.robots.isEmpty)
  }

  @Test func `a robot on two interfaces is one, with the interface where an address needs it`() throws {
    var session = AvahiSession()
    for (interface, address) in [(1, "fe80::7"), (2, "192.0.2.9")] as [(Int32, String)] {
      _ = try session.receive(Self.item("ItemNew", "Arm", interface: interface))
      _ = try session.receive(Self.found("Arm", address: address, interface: interface))
    }
    let robot = try #require(session.robots.first)
    #expect(session.robots.count == 1)
    // Interface 1 is the loopback on every machine.
    #expect(robot.addresses.map(\.host) == ["arm.local", "192.0.2.9", "fe80::7%lo"])
    #expect(try session.receive(Self.item("ItemRemove", "Arm", interface: 2)).hasChanged)
    #expect(session.robots.first?.addresses.map(\.host) == ["arm.local", "fe80::7%lo"])
  }

  @Test func `a robot that goes before Avahi has found it is not looked for any longer`() throws {
    var session = AvahiSession()
    let resolve = try #require(try session.receive(Self.item("ItemNew", "Arm")).said.first)
    #expect(try session.receive(Self.item("ItemRemove", "Arm")).said.isEmpty)
    let freed = try session.receive(Self.answer(to: resolve, .objectPath("/r"))).said
    #expect(freed.map(\.member) == ["Free"] && freed.first?.path == "/r")
    #expect(try !session.receive(Self.found("Arm")).hasChanged && session.robots.isEmpty)
  }

  @Test func `Avahi that is not there, or goes, or fails is told of, and one robot that cannot be found is not`() throws
  {
    var session = AvahiSession()
    let calls = session.start()
    let refusal = BusMessage(.error, serial: 1, answered: calls[2].serial)
    #expect(throws: DiscoveryError.unavailable("Avahi does not answer")) { try session.receive(refusal) }
    let resolve = try #require(try session.receive(Self.item("ItemNew", "Arm")).said.first)
    #expect(try session.receive(BusMessage(.error, serial: 1, answered: resolve.serial)).said.isEmpty)
    var owner = BusMessage(
      .signal, serial: 1, path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      sender: "org.freedesktop.DBus", body: [.string("org.freedesktop.Avahi"), .string(":1.4"), .string("")])
    #expect(throws: DiscoveryError.unavailable("Avahi has stopped")) { try session.receive(owner) }
    // This message does not come from the bus.
    owner.sender = ":1.9"
    #expect(try !session.receive(owner).hasChanged)
    #expect(throws: DiscoveryError.self) { try session.receive(Self.item("Failure", "")) }
  }

  @Test func `what makes no sense is passed over`() throws {
    var session = AvahiSession()
    _ = try session.receive(Self.item("ItemNew", "Arm"))
    for message in [
      Self.found("Arm", host: ""), Self.found("Arm", host: "a b"), Self.found("Arm", port: 0), Self.found("Leg"),
      Self.item("ItemRemove", "Leg"), Self.item("AllForNow", ""), BusMessage(.call, serial: 3, member: "Ping"),
      BusMessage(.answer, serial: 3, answered: 99), BusMessage(.signal, serial: 3),
      BusMessage(.signal, serial: 3, interface: "org.freedesktop.Avahi.ServiceResolver", member: "Found", body: []),
    ] {
      let (said, hasChanged) = try session.receive(message)
      #expect(said.isEmpty && !hasChanged && session.robots.isEmpty)
    }
    // If the address is invalid, the name remains.
    #expect(try session.receive(Self.found("Arm", address: "nowhere")).hasChanged)
    #expect(session.robots.first?.addresses.map(\.description) == ["arm.local:8443"])
  }

  @Test func `so many robots are looked for, and no more`() throws {
    var session = AvahiSession()
    var asked = 0
    for number in 0..<5_000 { asked += try session.receive(Self.item("ItemNew", "Arm \(number)")).said.count }
    #expect(asked == 1_024)
    for number in 0..<5_000 { _ = try session.receive(Self.found("Arm \(number)", host: "arm\(number).local")) }
    #expect(session.robots.count == 256)
  }
}
