/// Pairing links, as consoles show them and as scanners pass them on.
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct PairingLinkTests {
  /// A pin whose base64 contains a plus, a slash and an equals sign.
  private static let pin = required(PublicKeyPin("sha256/SDDfEqlPFzegAYJx64rZkiXM1XS7lV4smWiyd+v/j4A="))
  private static let encodedPin = "sha256/SDDfEqlPFzegAYJx64rZkiXM1XS7lV4smWiyd%2Bv/j4A%3D"
  private static let next = PairingTests.pin(1)
  private static let minimal = "footage:pair?name=arm&at=robot.local:8443&pin=\(encodedPin)"

  private static func link(
    name: String = "arm", _ addresses: String..., next: PublicKeyPin? = nil
  ) throws -> PairingLink {
    let addresses = addresses.isEmpty ? ["robot.local"] : addresses
    return try PairingLink(name: name, addresses: addresses.map { required(RobotAddress($0)) }, pin: pin, next: next)
  }

  private static func error(_ text: String) -> PairingLinkError? {
    do throws(PairingLinkError) { _ = try PairingLink(text) } catch { return error }
    return nil
  }

  @Test func `a link says where the robot is and which keys it has, in letters that every reader keeps`() throws {
    let link = try Self.link(name: "Arm №2 & co+1", "robot.local", "10.0.0.7:9443", "[fd00::7]:8443", next: Self.next)
    #expect(
      link.description == """
        footage:pair?name=Arm%20%E2%84%962%20%26%20co%2B1&at=robot.local:8443&at=10.0.0.7:9443&at=%5Bfd00::7%5D:8443\
        &pin=\(Self.encodedPin)&next=sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE%3D
        """)
    #expect(try PairingLink(link.description) == link)
    #expect(try PairingLink(" \n\(link)\r\n") == link)
    #expect(link.addresses.map(\.host) == ["robot.local", "10.0.0.7", "fd00::7"] && link.next == Self.next)
  }

  @Test func `Foundation reads the same out of it`() throws {
    let link = try Self.link(name: "Arm №2 & co+1", "[fd00::7]:8443", next: Self.next)
    let url = try #require(URLComponents(string: link.description))
    #expect(url.scheme == "footage" && url.path == "pair")
    let items = try #require(url.queryItems)
    #expect(items.map(\.name) == ["name", "at", "pin", "next"])
    #expect(
      items.map(\.value) == ["Arm №2 & co+1", "[fd00::7]:8443", Self.pin.description, Self.next.description])
    // Whatever form Foundation gives it, it is the same link.
    #expect(try PairingLink(try #require(URL(string: link.description)).absoluteString) == link)
    #expect(try PairingLink(try #require(url.string)) == link)
    var rebuilt = URLComponents()
    (rebuilt.scheme, rebuilt.path, rebuilt.queryItems) = ("footage", "pair", items)
    #expect(try PairingLink(try #require(rebuilt.string)) == link)
  }

  @Test(arguments: [
    minimal, "FOOTAGE:pair?name=arm&at=robot.local&pin=\(encodedPin)",
    "footage:pair?pin=\(encodedPin)&at=robot.local&name=arm",
    "footage:pair?v=2&&name=arm&at=ROBOT.local&x&=&y=%zz&pin=\(encodedPin)",
    // A plus is a plus, and other characters that need no escape stay as they are.
    "footage:pair?name=arm&at=robot.local:8443&pin=\(pin)",
    "footage:pair?name=%61rm&at=robot%2Elocal&pin=\(encodedPin)",
  ])
  func `whatever else stands there, and however it is escaped, it is the same link`(text: String) throws {
    #expect(try PairingLink(text) == Self.link())
  }

  @Test(
    arguments: [
      ("", .noLink), ("footage:pair", .noLink), ("footage:pair/?\(minimal.dropFirst(13))", .noLink),
      ("https://robot.local:8443/", .noLink), ("footage://pair?\(minimal.dropFirst(13))", .noLink),
      ("footage:PAIR?\(minimal.dropFirst(13))", .noLink),
      ("footage:pair?", .missing("name")), ("footage:pair?at=robot.local&pin=\(encodedPin)", .missing("name")),
      ("footage:pair?name=arm&at=robot.local", .missing("pin")),
      ("footage:pair?name=arm&pin=\(encodedPin)", .missing("at")),
      ("\(minimal)&name=arm", .doubled("name")), ("\(minimal)&pin=\(encodedPin)", .doubled("pin")),
      ("\(minimal)&next=\(encodedPin)", .doubled("pin")), ("\(minimal)&at=robot.local:8443", .doubled("at")),
      ("\(minimal)&next=sha256/AAAA&next=x", .doubled("next")), ("\(minimal)&next=", .pin("next", "")),
      ("\(minimal)&next=sha256/AAAA", .pin("next", "sha256/AAAA")),
      ("\(minimal)&next=%20\(encodedPin)", .pin("next", " \(pin)")),
      // A reader that turns a plus into a blank has changed the pin.
      (
        "footage:pair?name=arm&at=x&pin=\(pin.description.replacingOccurrences(of: "+", with: "%20"))",
        .pin("pin", pin.description.replacingOccurrences(of: "+", with: " "))
      ),
      ("\(minimal)&at=", .address("")), ("\(minimal)&at=a%20b", .address("a b")),
      ("\(minimal)&at=x:0", .address("x:0")),
      ("\(minimal)&at", .encoding("at")), ("\(minimal)&at=%4", .encoding("at")), ("\(minimal)&at=%zz", .encoding("at")),
      ("footage:pair?name=%FF&at=x&pin=\(encodedPin)", .encoding("name")),
      ("footage:pair?name=ü&at=x&pin=\(encodedPin)", .encoding("name")),
      ("footage:pair?name=a b&at=x&pin=\(encodedPin)", .encoding("name")),
      ("footage:pair?name=&at=x&pin=\(encodedPin)", .name("")),
      ("footage:pair?name=%20&at=x&pin=\(encodedPin)", .name(" ")),
      ("footage:pair?name=a%0Ab&at=x&pin=\(encodedPin)", .name("a\nb")),
      ("footage:pair?name=%1B%5B2J&at=x&pin=\(encodedPin)", .name("\u{1B}[2J")),
      (minimal + (0..<8).map { "&at=\($0)" }.joined(), .addressCount(9)),
      (minimal + String(repeating: "&", count: 3_000), .tooLong(byteCount: 3_000 + minimal.utf8.count)),
    ] as [(String, PairingLinkError)])
  func `what is no link is told why, and what to do`(text: String, error: PairingLinkError) {
    #expect(Self.error(text) == error)
    #expect(error.description.contains { "—:,".contains($0) })
  }

  @Test func `what is made can be read: names and addresses have limits`() throws {
    let long = String(repeating: "x", count: 128)
    #expect(try PairingLink(Self.link(name: long).description).name == long)
    #expect(throws: PairingLinkError.name(long + "x")) { try Self.link(name: long + "x") }
    #expect(throws: PairingLinkError.name("a\u{2028}b")) { try Self.link().named("a\u{2028}b") }
    #expect(throws: PairingLinkError.addressCount(0)) {
      try PairingLink(name: "arm", addresses: [], pin: Self.pin)
    }
    #expect(throws: PairingLinkError.doubled("at")) { try Self.link("robot.local", "robot.local:8443") }
    #expect(throws: PairingLinkError.doubled("pin")) { try Self.link(next: Self.pin) }
    let hosts = (0..<8).map { "\($0)" + String(repeating: "h", count: 252) }
    #expect(throws: PairingLinkError.self) {
      try PairingLink(name: "arm", addresses: hosts.map { required(RobotAddress($0)) }, pin: Self.pin)
    }
  }

  @Test func `whatever is changed in it, it is read or refused, and what is read can be written`() throws {
    let seed = TestRun.seed(of: "pairing links")
    var random = SeededGenerator(seed: seed)
    let words = ["&at=", "&pin=", "&next=", "&name=", "%", "%2B", "=", "sha256/", "[", "]", ":", "?"]
    let link = try Self.link(name: "Arm №2", "robot.local", "[fd00::7]", next: Self.next)
    var readCount = 0
    for _ in 0..<5_000 {
      var bytes = Array(link.description.utf8)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes.insert(contentsOf: required(words.randomElement(using: &random)).utf8, at: place)
        case 1: bytes[place] = .random(in: 0...255, using: &random)
        default: bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...8, using: &random)))
        }
      }
      guard let read = try? PairingLink(String(decoding: bytes, as: UTF8.self)) else { continue }
      readCount += 1
      #expect(try PairingLink(read.description) == read)
    }
    #expect(readCount > 100)
  }
}
