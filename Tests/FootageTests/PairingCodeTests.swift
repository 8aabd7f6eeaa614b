/// Pairing by a code: the robot's console shows it, a camera reads it, and the app uses it.
import Foundation
import LinuxTestSupport
import Testing

@testable import FootageClient

@Suite(.offThePool) struct PairingCodeTests {
  private let desk: FetchTests.Desk
  private static let other = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
  private static let canDraw = (try? Command("qrencode", "--version").run().succeeded) == true
  private static let canScan = canDraw && (try? Command("zbarimg", "--version").run().succeeded) == true

  init() throws { desk = try FetchTests.Desk() }

  private var pairings: String { get throws { try text(of: desk.path("config/footage/robots")) } }

  private func show(_ certs: String, _ listen: String, _ arguments: String...) throws -> Command.Outcome {
    try FootageProgram.command(["pair", "--qr", "--certs", certs, "--listen", listen] + arguments).run()
  }

  /// Draws the code on a terminal of this size.
  private func draw(_ certs: String, columns: Int = 120, path: String? = nil) throws -> String {
    let show =
      "\(path.map { "PATH=\($0) " } ?? "")\(FootageProgram.path) pair --qr --certs \(certs) --listen 192.0.2.7:8443"
    let outcome = try Command("script", "-qec", "stty cols \(columns) rows 60; \(show) --robot-name arm", "/dev/null")
      .run()
    #expect(outcome.succeeded, "\(outcome.errors)")
    return outcome.output.replacingOccurrences(of: "\r\n", with: "\n")
  }

  @Test func `what the console shows is what a person pairs by, and the robot goes by its name from then on`() throws {
    let certs = desk.path("certs")
    try Fixtures.copyCertificates(to: certs)
    try Fixtures.provision("--out", certs, "--next")
    let next = String(try text(of: certs + "/server-next.pin").dropLast())
    try withServer(certs: certs, recordings: ["front/one.mp4"]) { server in
      let robot = FetchTests.robot(server)
      let shown = try show(certs, robot, "--robot-name", "Arm 2")
      #expect(
        shown.succeeded && shown.errors.contains("only programs on this machine can reach the robot"), "\(shown.errors)"
      )
      let link = try #require(shown.lines.first)
      #expect(shown.lines.count == 1 && link.hasPrefix("footage:pair?name=Arm%202&at=127.0.0.1:\(server.port)&pin="))
      #expect(try PairingLink(link).pin.description == server.pin && PairingLink(link).next?.description == next)

      let paired = try desk.footage("pair", link).run()
      #expect(paired.succeeded && paired.lines == [server.pin], "\(paired.errors)")
      #expect(paired.errors == "Arm 2 (\(robot)) is paired: \(desk.path("config/footage/robots"))\n")
      #expect(try pairings == "\(robot) \(server.pin) \(next)\n# \(server.pin) name:Arm%202\n")
      let listed = try desk.footage("list", "--robot", "Arm 2").run()
      #expect(listed.succeeded && listed.lines.count == 2, "\(listed.errors)")
      #expect(try desk.footage("pair", link).run().succeeded)
      #expect(try pairings == "\(robot) \(server.pin) \(next)\n# \(server.pin) name:Arm%202\n")
      let known = try desk.footage("robots", "--paired").run()
      #expect(known.lines.count == 2 && known.lines[1].hasPrefix("Arm 2  \(robot)"), "\(known.output)")
      #expect(try desk.footage("pair", "Arm 2", "--forget").run().succeeded)
      #expect(try desk.footage("robots", "--paired").run().status == 1)

      // A name other than the console's.
      #expect(try desk.footage("pair", link, "--name", "left").run().succeeded)
      #expect(try pairings.hasSuffix(" name:left\n"))
    }
  }

  @Test func `a link with another key is refused, whether it is of the robot's name, its address or neither`() throws {
    try withServer { server in
      let robot = FetchTests.robot(server)
      let good = "footage:pair?name=arm&at=\(robot)&pin=\(server.pin)"
      let impostor = try desk.footage("pair", "footage:pair?name=arm&at=\(robot)&pin=\(Self.other)").run()
      #expect(impostor.status == 1 && impostor.output.isEmpty)
      #expect(impostor.errors.contains("None of \(robot) has the key in the link: nothing was remembered"))
      #expect(try desk.footage("pair", good).run().succeeded)
      let before = try pairings
      for link in ["name=arm&at=192.0.2.1&pin=\(Self.other)", "name=leg&at=\(robot)&pin=\(Self.other)"] {
        let outcome = try desk.footage("pair", "footage:pair?\(link)").run()
        #expect(outcome.status == 1 && outcome.errors.contains("HAS CHANGED"), "\(outcome.errors)")
        #expect(outcome.errors.contains("footage pair \(robot) --forget"), "\(outcome.errors)")
        #expect(outcome.errors.contains("--name NAME") == link.contains("arm"))
      }
      #expect(try pairings == before)
      #expect(try server.answered("\"GET /").allSatisfy { $0.contains("/health?live") }, "\(server.story)")
    }
  }

  @Test(arguments: [
    ["footage:pair?name=arm"], ["footage:pear?"], ["FOOTAGE:pair?name=%1B%5B2J&at=x&pin=\(other)"],
    ["footage:pair?name=arm&at=x&pin=\(other)", "--pin", other],
    ["footage:pair?name=arm&at=x&pin=\(other)", "--forget"],
    ["robot", "--name", "arm"], ["--qr", "robot"], ["--qr", "--listen", "0"], ["--qr", "--listen", "x:y"],
  ])
  func `a command line that makes no sense is told so, and a link moves no cursor`(arguments: [String]) throws {
    let certs = try Fixtures.certs()
    let outcome = try FootageProgram.command(
      ["pair", "--certs", certs] + arguments, environment: ["XDG_CONFIG_HOME": desk.path("config")]
    ).run()
    #expect(outcome.status == 64 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(outcome.errors)")
    #expect(!outcome.errors.contains("\u{1B}"))
  }

  @Test func `where there is no certificate, it is said what makes one`() throws {
    let outcome = try show(desk.path("nothing"), "192.0.2.7")
    #expect(outcome.status == 1 && outcome.errors.contains("run scripts/gen-certs.sh"), "\(outcome.errors)")
  }

  // MARK: The code

  @Test(.enabled(if: canScan, "qrencode and zbarimg are there (Debian's packages qrencode and zbar-tools)"))
  func `a camera reads the link off the terminal`() throws {
    let drawn = try draw(try Fixtures.certs())
    let lines = drawn.split(separator: "\n").map(String.init)
    let link = try #require(lines.first { $0.hasPrefix("footage:pair?") })
    let picture = desk.path("code.pbm")
    try Self.picture(of: lines.filter { $0.hasPrefix("\u{1B}[") }).write(
      toFile: picture, atomically: true, encoding: .utf8)
    let scanned = try Command("zbarimg", "--quiet", "--raw", picture).run()
    #expect(scanned.output == link + "\n", "\(scanned.errors)")
    #expect(try PairingLink(scanned.output).name == "arm")
  }

  @Test(.enabled(if: canScan, "qrencode and zbarimg are there (Debian's packages qrencode and zbar-tools)"))
  func `a code that others make of the link is read as the link, however full it is`() throws {
    let link = try PairingLink(
      name: String(repeating: "№", count: 42),
      addresses: (1...8).map { required(RobotAddress("robot\($0).local:9443")) },
      pin: required(PublicKeyPin(Self.other)), next: PublicKeyPin(digest: [UInt8](repeating: 0xFB, count: 32)))
    let picture = desk.path("code.png")
    #expect(try Command("qrencode", "-o", picture, link.description).run().succeeded)
    let scanned = try Command("zbarimg", "--quiet", "--raw", picture).run()
    #expect(try PairingLink(scanned.output) == link)
  }

  @Test(.enabled(if: canDraw, "qrencode is there (Debian's package of that name)"))
  func `a terminal that is too narrow gets the text, and is told why`() throws {
    let drawn = try draw(try Fixtures.certs(), columns: 40)
    #expect(!drawn.contains("█") && drawn.contains("\nfootage:pair?name=arm&at="))
    #expect(drawn.contains("use a smaller font"), "\(drawn)")
  }

  @Test func `without qrencode there is the text, and what would draw it`() throws {
    let programs = desk.path("bin")
    try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: programs + "/head", withDestinationPath: "/usr/bin/head")
    let drawn = try draw(try Fixtures.certs(), path: programs)
    #expect(drawn.hasPrefix("footage: qrencode, which draws the code, is not installed (apt-get install qrencode)\n"))
    #expect(drawn.contains("\nfootage:pair?name=arm&at="))
  }

  /// Returns the picture that a terminal shows for lines of half blocks, white on black, four pixels per module (PBM).
  private static func picture(of lines: [String]) -> String {
    let rows = lines.flatMap { line -> [[Bool]] in
      let blocks = line.filter { "█▀▄ ".contains($0) }
      return [blocks.map { $0 == "▄" || $0 == " " }, blocks.map { $0 == "▀" || $0 == " " }]
    }
    let wide = rows.map { row in row.flatMap { [Bool](repeating: $0, count: 4) } }
    let tall = wide.flatMap { [[Bool]](repeating: $0, count: 4) }
    let pixels = tall.map { row in row.map { $0 ? "1" : "0" }.joined(separator: " ") }.joined(separator: "\n")
    return "P1\n\(wide.first?.count ?? 0) \(tall.count)\n\(pixels)\n"
  }
}
