/// What was paired is remembered, and a pin that changes is an error.
import Foundation
import TestSupport
import Testing

@testable import FootageClient

@Suite struct PairingTests {
  static let pin = required(PublicKeyPin(digest: [UInt8](repeating: 1, count: 32)))
  static let other = required(PublicKeyPin(digest: [UInt8](repeating: 2, count: 32)))
  static let robot = required(RobotAddress("robot.local"))

  @Test func `a robot is remembered until it is forgotten`() throws {
    let folder = try TemporaryFolder()
    let store = PairingStore(folder: folder.path("config/footage"))
    #expect(try store.all() == [])
    try store.remember(Self.pin, of: Self.robot)
    try store.remember(Self.pin, of: Self.robot)
    try store.remember(Self.other, of: required(RobotAddress("[::1]:1")))
    #expect(try store.pins(of: Self.robot) == [Self.pin])
    #expect(try text(of: store.path) == "robot.local:8443 \(Self.pin)\n[::1]:1 \(Self.other)\n")
    #expect(try store.forget(Self.robot))
    #expect(try !store.forget(Self.robot))
    #expect(try store.all().map(\.address.description) == ["[::1]:1"])
  }

  @Test func `a pin that changed is an error with its own name, and what was remembered stays`() throws {
    let folder = try TemporaryFolder()
    let store = PairingStore(folder: folder.location)
    try store.remember(Self.pin, of: Self.robot)
    let expected = PairingError.pinChanged(robot: "robot.local:8443", remembered: [Self.pin], seen: Self.other)
    #expect(throws: expected) { try store.remember(Self.other, of: Self.robot) }
    #expect(try store.pins(of: Self.robot) == [Self.pin])
    #expect(
      expected.description.hasPrefix(
        "THE PIN OF robot.local:8443 HAS CHANGED: it was \(Self.pin), and now it is \(Self.other)."))
  }

  @Test func `a person may keep notes and a second pin in the file`() throws {
    let text = "# the front yard\n\n  robot.local \(Self.pin) \(Self.other)  \n"
    #expect(
      try PairingStore.parse(Array(text.utf8), path: "p")
        == [.init(address: Self.robot, pins: [Self.pin, Self.other])])
  }

  @Test(arguments: ["robot.local", "robot.local sha256/x", "robot:0 \(pin)", "garbage", "robot.local \(pin) x"])
  func `a line that makes no sense is not passed over`(line: String) {
    #expect(throws: PairingError.unreadable("p", line: 2)) {
      try PairingStore.parse(Array("# first\n\(line)\n".utf8), path: "p")
    }
  }
}
