/// The addresses that people write for a robot, and the places of its recordings on this machine.
import Testing

@testable import FootageCore

@Suite struct AddressTests {
  @Test(
    arguments: [
      ("robot.local", "robot.local:8443"), ("Robot.LOCAL:1", "robot.local:1"), ("10.0.0.7:65535", "10.0.0.7:65535"),
      ("[::1]", "[::1]:8443"), ("[FE80::1]:443", "[fe80::1]:443"), ("my_robot-2", "my_robot-2:8443"),
      ("[FE80::1%Eth0.7]:443", "[fe80::1%Eth0.7]:443"), ("[fe80::1%25wlan0]", "[fe80::1%wlan0]:8443"),
      ("[fe80::1%25]", "[fe80::1%25]:8443"), ("[fe80::1%2525eth]", "[fe80::1%2525eth]:8443"),
      ("https://robot7.local:8443/", "robot7.local:8443"), ("https://robot7.local:8443", "robot7.local:8443"),
      ("HTTPS://Robot7.local/recordings/a.mp4?x#t=3", "robot7.local:443"), ("robot7.local:8443/", "robot7.local:8443"),
      ("robot/", "robot:8443"), ("  robot.local:9\n", "robot.local:9"), ("::1", "[::1]:8443"),
      ("2001:DB8::7", "[2001:db8::7]:8443"), ("fe80::1%eth0", "[fe80::1%eth0]:8443"),
      ("https://[::1]:9/", "[::1]:9"), ("https://10.0.0.7:8443/page", "10.0.0.7:8443"),
    ])
  func `an address is read as people write it`(text: String, shown: String) {
    #expect(RobotAddress(text)?.description == shown)
    #expect(RobotAddress(shown).map(\.description) == shown)
  }

  @Test(
    arguments: [
      "", ":8443", "robot:", "robot:0", "robot:65536", "robot:+1", "robot:8443x", "[::1", "[]", "[::1]x", "a:b:c",
      "[::1]:", "[fe80::1%]", "[fe80::1%a/b]", "[fe80::1%sixteen-letters-x]", "[%eth0]", "robot%eth0", "[robot]",
      "ro bot", "robot/x", "robot//", "http://robot", "https://", "https:///x", "https://user@robot/", "user@robot",
      "/",
      "https://robot:0/", "ro\nbot", "röbot",
    ])
  func `what is none is refused`(text: String) { #expect(RobotAddress(text) == nil) }

  @Test func `the interface of a link-local address is part of the host`() {
    #expect(RobotAddress("[fe80::1%25eth0]:443")?.host == "fe80::1%eth0")
    #expect(RobotAddress("[fe80::1%25eth0]:443") == RobotAddress("[fe80::1%eth0]:443"))
  }

  @Test(
    arguments: [
      ("a", "a.mp4"), ("front/2026-11-20T10-15-30", "front/2026-11-20T10-15-30.mp4"), ("ü b", "ü b.mp4"),
      ("a..b", "a..b.mp4"),
    ])
  func `a name becomes a path below the folder`(name: String, path: String) {
    #expect(LocalPath.relative(for: name) == path)
  }

  @Test(arguments: ["a.mp4", "ü.mp4", "/a/b.mp4", String(repeating: "x", count: 242) + ".mp4"])
  func `a download has its file's name and an ending until it is whole`(_ name: String) {
    let isShort = name.utf8.count <= 246
    #expect((PartialFileName.part(of: name) == name + ".part") == isShort)
  }

  @Test(arguments: ["x", "直", "👨‍👩‍👧‍👦"])
  func `a name that is as long as a name can be has one of its own for its download`(_ letter: String) {
    let ending = ".mp4"
    let names = ["1", "2"].map { last in
      "a/" + String(repeating: letter, count: (250 - ending.utf8.count) / letter.utf8.count) + last + ending
    }
    let parts = names.map { PartialFileName.part(of: $0) }
    #expect(Set(parts).count == 2)
    for part in parts {
      #expect(part.hasPrefix("a/\(letter)") && part.hasSuffix(".part"))
      #expect(part.split(separator: "/").allSatisfy { $0.utf8.count + ".map".utf8.count <= 255 })
    }
  }

  @Test(
    arguments: [
      "", ".", "..", "../a", "a/../b", "a/..", "/etc/passwd", "a//b", "a/", ".hidden", "a/.hidden", "a\nb", "a\u{0}",
      "a\u{9B}2J",
      "gpj\u{202E}4pm",
      String(repeating: "x", count: 252),
    ])
  func `a name that leads elsewhere is none`(name: String) { #expect(LocalPath.relative(for: name) == nil) }
}
