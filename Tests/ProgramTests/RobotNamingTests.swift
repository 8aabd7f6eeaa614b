/// The robot that a word on the command line means.
import FootageClient
import LinuxTestSupport
import Testing

@testable import FootageCommands

@Suite struct RobotNamingTests {
  private static func pairing(_ byte: UInt8, at address: String, name: String?) throws -> PairingStore.Pairing {
    PairingStore.Pairing(
      address: required(RobotAddress(address)),
      pins: [required(PublicKeyPin(digest: [UInt8](repeating: byte, count: 32)))], name: name)
  }

  @Test(
    arguments: [
      ("footage:pair?name=arm", true), ("FOOTAGE:pair?", true), ("footage:8443", false), ("footage", false),
      ("footage:pair", false), ("FOOTAGE:PAIR?", true), ("footage\u{1A}pair?", false),
    ])
  func `a link is what begins as one, and not what a robot may be called`(word: String, isLink: Bool) {
    #expect(LinkPairing.isLink(word) == isLink)
  }

  @Test func `the address of a paired robot is that robot, whatever another one is called`() throws {
    let arm = try Self.pairing(1, at: "10.0.0.9:8443", name: "arm")
    let liar = try Self.pairing(2, at: "10.0.0.66:8443", name: "10.0.0.9:8443")
    let leg = try Self.pairing(3, at: "10.0.0.7:8443", name: "10.0.0.8")
    let known = [liar, arm, leg]
    #expect(try RobotAccess.address("10.0.0.9:8443", among: known) == arm.address)
    #expect(try RobotAccess.address("10.0.0.9", among: known) == arm.address)
    #expect(RobotAccess.robot(named: "10.0.0.9:8443", among: known) == nil)
    #expect(try RobotAccess.address("arm", among: known) == arm.address)
    // No robot has this address, so the robot with this name is meant.
    #expect(RobotAccess.robot(named: "10.0.0.8", among: known) == leg)
    #expect(try RobotAccess.address("10.0.0.1", among: known) == required(RobotAddress("10.0.0.1:8443")))
  }
}
