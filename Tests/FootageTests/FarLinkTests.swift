/// The program over a network with a delay: the robot in one namespace, the app in another.
import Foundation
import TestSupport
import Testing

@Suite(.overAFarLink, .offThePool) struct FarLinkTests {
  /// A robot at the far end of a link, with this recording ready.
  static func server(_ link: FarLink, _ name: String = "front/a", _ arguments: [String] = []) throws -> Server {
    let server = try Server(arguments, link: link)
    try server.addClip(name + ".mp4")
    try server.waitForState("ready", of: name)
    return server
  }

  /// The program on the app's side, asking the robot at an address.
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
    let outcome = try Self.ask(server, at: link.robotAddress, over: link, "list")
    // TCP, TLS and the question, a round trip each.
    #expect(ContinuousClock.now - start >= .milliseconds(300))
    #expect(outcome.succeeded && outcome.output.contains("front/a"), "\(outcome.errors)")
    #expect(try link.count().connections == 1)
    try server.stop()
  }

  @Test(.timeLimit(.minutes(1))) func `nothing gets through a hole, and what is begun after it does`() throws {
    let link = try FarLink(roundTrip: 10)
    let server = try Self.server(link)
    try link.setHole(true)
    let url = "https://\(link.robotAddress):\(server.port)/health"
    // curl's word for a time that is over.
    #expect(try link.app(Command("curl", "--silent", "--insecure", "--max-time", "1", url)).run().status == 28)
    try link.setHole(false)
    #expect(try Self.ask(server, at: "[\(link.robotAddressV6)]", over: link, "list").succeeded)
    try server.stop()
  }
}
