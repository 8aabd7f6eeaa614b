/// The program over a network with a delay: the robot is in one namespace, the app in another.
import Foundation
import LinuxTestSupport
import Testing

@Suite(.overAFarLink, .offThePool) struct FarLinkTests {
  /// Returns a robot at the far end of a link, with this recording ready.
  static func server(_ link: FarLink, _ name: String = "front/a", _ arguments: [String] = []) throws -> Server {
    let server = try Server(arguments, link: link)
    try server.addClip(name + ".mp4")
    try server.waitForState("ready", of: name)
    return server
  }

  /// Runs the program on the app's side with the robot's address.
  static func ask(
    _ server: Server, at host: String, over link: FarLink, _ arguments: String...
  ) throws -> Command.Outcome {
    try link.app(
      FootageProgram.command(arguments + ["--robot", "\(host):\(server.port)", "--pin", server.pin])
    ).run()
  }

  @Test(.timeLimit(.minutes(1))) func `a list is had from a robot a tenth of a second away`() throws {
    let link = try FarLink(roundTrip: 100)
    let server = try Self.server(link)
    let start = ContinuousClock.now
    let outcome = try Self.ask(server, at: FarLink.robotAddress, over: link, "list")
    // TCP, TLS and the request take a round trip each.
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    #expect(outcome.succeeded && outcome.output.contains("front/a"), "\(outcome.errors)")
    #expect(try link.count().connections == 1)
    try server.stop()
  }

  @Test(.timeLimit(.minutes(1)))
  func `a robot whose IPv6 leads nowhere is reached by IPv4, a quarter of a second later`()
    throws
  {
    let link = try FarLink(
      roundTrip: 100, hosts: [(FarLink.deadAddressV6, "two.test"), (FarLink.robotAddress, "two.test")])
    let server = try Self.server(link)
    try link.resetCount()
    let start = ContinuousClock.now
    // The whole connection may take less time than a single attempt could.
    let outcome = try Self.ask(server, at: "two.test", over: link, "list")
    #expect(outcome.succeeded && outcome.output.contains("front/a"), "\(outcome.errors)")
    #expect(ContinuousClock.now - start >= .milliseconds(250))
    #expect(try link.count().connections == 2)
    try server.stop()
  }

  @Test(.timeLimit(.minutes(1))) func `a robot is reached at the address of the cable that it hangs on`() throws {
    let link = try FarLink(roundTrip: 10)
    let server = try Self.server(link)
    for host in ["[\(FarLink.robotAddressOnLink)]", "[fe80::2%25far0]"] {
      let outcome = try Self.ask(server, at: host, over: link, "list")
      #expect(outcome.succeeded && outcome.output.contains("front/a"), "\(outcome.errors)")
    }
    let elsewhere = try Self.ask(server, at: "[fe80::2%none9]", over: link, "list")
    #expect(elsewhere.status == 1 && elsewhere.errors.contains("no interface 'none9'"), "\(elsewhere.errors)")
    try server.stop()
  }

  // MARK: A robot that is off

  @Test(.timeLimit(.minutes(2))) func `a list of a robot that is off fails within seconds`() throws {
    let link = try FarLink(roundTrip: 100)
    let server = try Self.server(link)
    try link.setHole(true)
    let start = ContinuousClock.now
    let outcome = try Self.ask(server, at: FarLink.robotAddress, over: link, "list")
    // Five seconds, or more on a busy machine. It used to be a minute and a half.
    #expect(ContinuousClock.now - start < .seconds(40) || !TestRun.comparesTimes)
    #expect(outcome.status == 1 && outcome.errors.contains("cannot be reached"), "\(outcome.errors)")
    try link.setHole(false)
    try server.stop()
  }

  @Test(.timeLimit(.minutes(4))) func `a robot that boots in the middle of a download is waited for`() throws {
    let link = try FarLink(roundTrip: 20, bytesPerSecond: 4_000_000)
    let folder = try TemporaryFolder()
    let server = try Server(folder: folder, link: link)
    try Fixtures.writeLargeRecording(to: server.file("a.mp4"))
    try server.waitForState("ready", of: "a")
    let path = folder.path("fetched.mp4")
    let process = try Self.fetch(server, to: path, over: link)
    try eventually("some of it to have come; it said \(process.errors)") {
      (try? FileManager.default.attributesOfItem(atPath: path + ".part")[.size] as? Int ?? 0) ?? 0 > 1 << 20
    }
    server.kill()
    // No server answers at its address, for so long that individual attempts are no longer reported.
    try eventually("it to wait; it said \(process.errors)") { process.errors.contains("waiting for the robot") }
    let again = try Server(folder: folder, link: link, port: server.port)
    #expect(try process.exitStatus(within: .seconds(120)) == 0, "\(process.errors)")
    #expect(process.errors.contains("the robot answers again, after "), "\(process.errors)")
    let served = try again.download("/recordings/a.mp4")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == served)
    try again.stop()
  }

  @Test(.timeLimit(.minutes(2))) func `a download that waits is ended by Ctrl-C`() throws {
    let link = try FarLink(roundTrip: 20)
    let folder = try TemporaryFolder()
    let server = try Server(folder: folder, link: link)
    try link.setHole(true)
    let process = try Self.fetch(server, to: folder.path("a.mp4"), over: link)
    try eventually("it to wait; it said \(process.errors)") { process.errors.contains("waiting for the robot") }
    let start = ContinuousClock.now
    process.signal(SIGINT)
    #expect(try process.exitStatus() == 1)
    // A pause lasts up to ten seconds.
    #expect(ContinuousClock.now - start < .seconds(5) || !TestRun.comparesTimes)
    #expect(process.errors.hasSuffix("stopped: nothing of a was received yet\n"), "\(process.errors)")
    try link.setHole(false)
    try server.stop()
  }

  /// Starts `footage fetch` on the app's side, and returns it with its output.
  private static func fetch(
    _ server: Server, to path: String, over link: FarLink
  ) throws -> RunningProgram {
    let arguments = [
      "fetch", "a", "--robot", "\(FarLink.robotAddress):\(server.port)", "--pin", server.pin, "-o", path,
    ]
    return try RunningProgram(link.app(FootageProgram.command(arguments)))
  }

  @Test(.timeLimit(.minutes(1))) func `nothing gets through a hole, and what is begun after it does`() throws {
    let link = try FarLink(roundTrip: 10)
    let server = try Self.server(link)
    try link.setHole(true)
    let url = "https://\(FarLink.robotAddress):\(server.port)/health"
    // curl's exit status for a timeout.
    #expect(try link.app(Command("curl", "--silent", "--insecure", "--max-time", "1", url)).run().status == 28)
    try link.setHole(false)
    #expect(try Self.ask(server, at: "[\(FarLink.robotAddressV6)]", over: link, "list").succeeded)
    try server.stop()
  }
}
