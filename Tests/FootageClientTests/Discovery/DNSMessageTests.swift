import LinuxTestSupport
import Testing

@testable import FootageCore

/// Messages of DNS, as robots and other devices send them.
@Suite struct DNSMessageTests {
  /// An answer like Avahi's: PTR, followed by TXT, SRV, A and AAAA, with names that are compressed by pointers.
  private static let answer = DNSAnswer.robot("Footage on robot7", host: "robot7", port: 8443, pin: DNSAnswer.pin)

  @Test func `the question asks for the service's instances, and for an answer by unicast`() {
    let question = DNSMessage.question(for: AnnouncedRobot.service)
    let name = [8] + Array("_footage".utf8) + [4] + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
    #expect(question == [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, 12, 0x80, 1])
    // A question is not an answer.
    #expect(DNSMessage(question) == nil)
  }

  @Test func `an answer tells name, place, numbers and pin`() throws {
    let robots = AnnouncedRobot.robots(in: [try #require(DNSMessage(Self.answer))])
    let robot = try #require(robots.first)
    #expect(robots.count == 1)
    #expect(robot.name == "Footage on robot7")
    #expect(robot.addresses.map(\.description) == ["robot7.local:8443", "192.0.2.7:8443", "[fe80::7]:8443"])
    #expect(robot.pinHint?.description == DNSAnswer.pin)
  }

  @Test func `who answers twice is one robot, and robots come by their names`() throws {
    let other = DNSAnswer.robot("Arm", host: "arm", port: 1, pin: "none of this")
    let messages = try [Self.answer, other, Self.answer].map { try #require(DNSMessage($0)) }
    let robots = AnnouncedRobot.robots(in: messages)
    #expect(robots.map(\.name) == ["Arm", "Footage on robot7"])
    #expect(robots[0].pinHint == nil)
  }

  @Test func `what was cut off anywhere is no robot, or the same one with less`() {
    for count in Self.answer.indices {
      guard let message = DNSMessage(Array(Self.answer[..<count])) else { continue }
      for robot in AnnouncedRobot.robots(in: [message]) {
        #expect(robot.name == "Footage on robot7" && robot.addresses.first?.description == "robot7.local:8443")
      }
    }
  }

  @Test(
    arguments: [
      // Pointers to themselves, to later bytes, and in a circle.
      [0xC0, 12], [0xC0, 40], [1, 0x61, 0xC0, 12],
      // Neither a label nor a pointer, and a label that extends beyond the end.
      [0x80, 0], [63],
    ] as [[UInt8]])
  func `a name that does not end is refused`(name: [UInt8]) {
    #expect(DNSMessage([0, 0, 0x84, 0, 0, 1, 0, 0, 0, 0, 0, 0] + name + [0, 12, 0, 1]) == nil)
  }

  @Test func `a name is no longer than names may be`() {
    let label = [63] + [UInt8](repeating: 0x61, count: 63)
    let head: [UInt8] = [0, 0, 0x84, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    #expect(DNSMessage(head + label + label + label + [0, 0, 12, 0, 1])?.records == [])
    #expect(DNSMessage(head + label + label + label + label + [0, 0, 12, 0, 1]) == nil)
  }

  @Test func `a network that says as much as it can costs no more than looking at each record`() throws {
    let service = Array("\u{8}_footage\u{4}_tcp\u{5}local\0".utf8)
    // Instances with 1,024 names, all of them on one host.
    let messages = try (0..<8).map { message -> DNSMessage in
      var bytes: [UInt8] = [0, 0, 0x84, 0, 0, 0, 1, 0, 0, 0, 0, 0]
      for number in 0..<128 {
        let instance = [4] + Array(String(10_000 + message * 128 + number).utf8.dropFirst())
        let toService: [UInt8] = bytes.count == 12 ? service : [0xC0, 12]
        bytes += toService + [0, 12, 0, 1, 0, 0, 0, 10, 0, 7] + instance + [0xC0, 12]
        bytes += instance + [0xC0, 12, 0, 33, 0, 1, 0, 0, 0, 10, 0, 14, 0, 0, 0, 0, 0, 80]
        bytes += [5] + Array("robot".utf8) + [0xC0, UInt8(12 + 14)]
      }
      #expect(bytes.count <= DNSMessage.largest)
      return try #require(DNSMessage(bytes))
    }
    #expect(messages.allSatisfy { $0.records.count == 256 })
    var robots: [AnnouncedRobot] = []
    let duration = ContinuousClock().measure { robots = AnnouncedRobot.robots(in: messages) }
    #expect(robots.count == AnnouncedRobot.mostRobots && robots.first?.addresses.first?.port == 80)
    #expect(duration < .seconds(3) || !TestRun.comparesTimes)
  }

  @Test func `whatever is sent is read, or not`() {
    var random = SeededGenerator(seed: TestRun.seed(of: "messages of DNS"))
    for _ in 0..<20_000 {
      var bytes = Self.answer
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      if let message = DNSMessage(bytes) { _ = AnnouncedRobot.robots(in: [message]) }
    }
  }
}

/// The answers of a robot's mDNS responder.
enum DNSAnswer {
  static let pin = "sha256/SDDfEqlPFzegAYJx64rZkiXM1XS7lV4smWiyd+v/j4A="

  static func robot(_ name: String, host: String, port: UInt16, pin: String) -> [UInt8] {
    func label(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + text.utf8 }
    func record(_ name: [UInt8], _ type: UInt8, _ content: [UInt8]) -> [UInt8] {
      name + [0, type, 0, 1, 0, 0, 0, 10, UInt8(content.count >> 8), UInt8(content.count & 0xFF)] + content
    }
    var bytes: [UInt8] = [0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    let service = label("_footage") + label("_tcp") + label("local") + [0]
    // `local` is 14 bytes after the beginning of the service's name.
    let (toService, toLocal): ([UInt8], [UInt8]) = ([0xC0, 12], [0xC0, 26])
    let instanceAt = UInt8(12 + service.count + 10)
    bytes += record(service, 12, label(name) + toService)
    let toInstance: [UInt8] = [0xC0, instanceAt]
    bytes += record(toInstance, 16, label("txtvers=1") + label("path=/") + label("pin=\(pin)"))
    bytes += record(toInstance, 33, [0, 0, 0, 0, UInt8(port >> 8), UInt8(port & 0xFF)] + label(host) + toLocal)
    bytes += record(label(host) + toLocal, 1, [192, 0, 2, 7])
    bytes += record(label(host) + toLocal, 28, [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [7])
    return bytes
  }
}
