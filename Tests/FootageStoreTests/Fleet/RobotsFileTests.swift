import Foundation
import LinuxTestSupport
import Testing
import FootageAPI

@testable import FootageStore

@Suite struct RobotsFileTests {
  private static let one = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
  private static let other = "sha256/AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE="

  private static let readable: [(text: String, names: [String], pins: [Int])] = [
    ("robot7 \(one)", ["robot7"], [1]), ("robot7 \(one) \(other)\n", ["robot7"], [2]),
    ("robot7 \(one) \(one)\n", ["robot7"], [1]), ("# robots\n\n  robot7\t\(one)  # the yard\r\n", ["robot7"], [1]),
    ("\u{FEFF}robot7 \(one)\n", ["robot7"], [1]), ("b \(one)\na \(other)\n", ["b", "a"], [1, 1]),
    ("robot%207 \(one)\n", ["robot 7"], [1]), ("r\u{E9} \(one)\nre\u{301} \(one)", ["r\u{E9}", "re\u{301}"], [1, 1]),
  ]

  @Test(arguments: readable)
  func `a line names a robot and all of its keys`(text: String, names: [String], pins: [Int]) throws {
    let robots = try RobotsFile.robots(in: Array(text.utf8))
    #expect(robots.map { Array($0.name.utf8) } == names.map { Array($0.utf8) })
    #expect(robots.map(\.pins.count) == pins)
  }

  private static let faults: [(text: String, line: Int, reason: RobotsFault.Reason)] = [
    ("", 0, .empty), ("# nobody\n", 0, .empty), ("robot7\n", 1, .noPin("robot7")),
    ("\nrobot7 # \(one)\n", 2, .noPin("robot7")), ("robot7 sha256/x\n", 1, .badPin("sha256/x")),
    ("robot7 \(one) twelve\n", 1, .badPin("twelve")), ("a/b \(one)\n", 1, .badName("a/b")),
    ("a:b \(one)\n", 1, .badName("a:b")), (".. \(one)\n", 1, .badName("..")), ("a%00 \(one)\n", 1, .badName("a\0")),
    ("a%2 \(one)\n", 1, .undecodable), ("a%FF \(one)\n", 1, .undecodable),
    ("a \(one)\nb \(one)\na \(other)\n", 3, .repeated("a", line: 1)),
    (
      "a \(Array(repeating: one, count: 1).joined(separator: " "))\n\(String(repeating: "x", count: 129)) \(one)\n", 2,
      .badName(String(repeating: "x", count: 129))
    ),
  ]

  @Test(arguments: faults)
  func `what names no robots says in which line, and why`(text: String, line: Int, reason: RobotsFault.Reason) {
    let fault = #expect(throws: RobotsFault.self) { try RobotsFile.robots(in: Array(text.utf8)) }
    #expect(fault?.line == line && fault?.reason == reason)
    #expect(fault?.description.hasPrefix(line > 0 ? "line \(line): " : "it ") == true)
    #expect(fault?.description.utf8.contains(0) == false)
  }

  @Test func `the file is read again when it is another one, and told of while it cannot be used`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("robots")
    var list = RobotsList(path: path)
    #expect(throws: FleetError.self) { _ = try list.read() }
    try "a \(Self.one)\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try list.read()?.map(\.name) == ["a"])
    #expect(try list.read() == nil)
    try "a\n".write(toFile: path, atomically: true, encoding: .utf8)
    for _ in 0..<2 {
      let error = #expect(throws: FleetError.self) { _ = try list.read() }
      #expect(
        error?.description
          == "\(path): line 1: 'a' has no key, so nothing from it could be verified: add the pin in its server.pin, sha256/…"
      )
    }
    try "a \(Self.one)\nb \(Self.one)\n".write(toFile: path, atomically: true, encoding: .utf8)
    #expect(try list.read()?.map(\.name) == ["a", "b"])
  }
}
