/// Playback from a distant robot: the cost of a seek and of a dead network, and the bytes that a paused player does not
/// cost.
import Foundation
import LinuxTestSupport
import Testing

@Suite(.overAFarLink, .offThePool, .serialized) struct FarSeekTests {
  /// Returns a server with a recording of 64 MiB, most of which is a box that players skip.
  static func server(_ link: FarLink) throws -> Server {
    let server = try Server(link: link)
    try server.addClip("long.mp4.new")
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: server.file("long.mp4.new")))
    let size: UInt32 = 64 << 20
    let start = try file.seekToEnd()
    try file.write(contentsOf: withUnsafeBytes(of: size.bigEndian) { Data($0) } + Data("free".utf8))
    try file.truncate(atOffset: start + UInt64(size))
    try file.close()
    try FileManager.default.moveItem(atPath: server.file("long.mp4.new"), toPath: server.file("long.mp4"))
    try server.waitForState("ready", of: "long")
    return server
  }

  /// A player that plays for a while, seeks, and plays on. It prints the seconds from each seek to its first byte.
  private static let player = """
    import http.client, sys, time, urllib.parse
    url = urllib.parse.urlparse(sys.argv[1])
    def open_at(offset):
        connection = http.client.HTTPConnection(url.hostname, url.port)
        connection.request("GET", url.path, headers={"Range": f"bytes={offset}-"})
        return connection, connection.getresponse()
    def play(response, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end: response.read(65536)
    connection, response = open_at(0)
    play(response, float(sys.argv[2]))
    for offset in sys.argv[3:]:
        connection.close()
        start = time.monotonic()
        connection, response = open_at(int(offset))
        response.read(1)
        print(time.monotonic() - start, flush=True)
        play(response, float(sys.argv[2]))
    """

  private static func seeks(
    _ session: PlaySession, over link: FarLink, playing seconds: Double, _ offsets: [Int]
  ) throws -> [Double] {
    let outcome = try link.app(
      Command("python3", arguments: ["-c", player, session.url, "\(seconds)"] + offsets.map(String.init))
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors) \(session.errors)")
    return outcome.output.split(separator: "\n").compactMap { Double($0) }
  }

  /// The number of connections of a playback once it has measured the link.
  private static let ofPlaying = 6

  /// A seek with a handshake takes four round trips, and without one it takes one. The arguments are the round trip in
  /// milliseconds, the rate in bytes per second, the seconds from one seek to the next, and the number of connections
  /// that five seeks may give up. Over 400 ms that may be one per seek.
  @Test(.timeLimit(.minutes(2)), arguments: [(400, 4_000_000, 2.5, 5), (100, 8_000_000, 1, 2)])
  func `a seek costs a round trip, and no connection is made for it`(
    _ roundTrip: Int, _ rate: Int, _ seconds: Double, _ givenUp: Int
  ) throws {
    let folder = try TemporaryFolder()
    let link = try FarLink(roundTrip: roundTrip, bytesPerSecond: rate)
    let server = try Self.server(link)
    let session = try PlaySession("long", on: server, over: link, cache: folder.path("cache"))
    // Nothing is known about the link before some bytes have arrived.
    _ = try Self.seeks(session, over: link, playing: 2, [])
    let times = try Self.seeks(session, over: link, playing: seconds, [20, 50, 35, 12, 60].map { $0 << 20 })
    // The total number. The connections before the first seek depend on the load of this machine.
    let connections = try link.count().connections
    print("seeks at \(roundTrip) ms: \(times), over \(connections) connections in all")
    try #require(times.count == 5)
    if TestRun.comparesTimes {
      #expect(times.sorted()[2] < Double(roundTrip) * 0.002, "\(times)")
      #expect(times.allSatisfy { $0 < Double(roundTrip) * 0.0035 }, "\(times)")
    }
    #expect(connections <= Self.ofPlaying + givenUp)
    #expect(try session.interrupt() == 0)
    try server.stop()
  }

  @Test(.timeLimit(.minutes(2))) func `a paused player is fetched no more than it may have ahead`() throws {
    let folder = try TemporaryFolder()
    let link = try FarLink(roundTrip: 20)
    let server = try Self.server(link)
    let session = try PlaySession(
      "long", on: server, over: link, cache: folder.path("cache"), "--read-ahead", "4M")
    let paused = try link.app(Command("curl", "--silent", "--limit-rate", "1k", "--max-time", "3", session.url)).run()
    #expect(paused.status == 28)
    #expect(try session.interrupt() == 0)
    // The bytes in socket buffers count, too.
    #expect(try server.sentBytes(of: "long") < 16 << 20)
    try server.stop()
  }

  @Test(.timeLimit(.minutes(2))) func `a network that was away for 20 s costs three seconds more`() throws {
    let folder = try TemporaryFolder()
    let link = try FarLink(roundTrip: 100, bytesPerSecond: 2_000_000)
    let server = try Self.server(link)
    let session = try PlaySession("long", on: server, over: link, cache: folder.path("cache"))
    // The cost of a connection, a request and half a megabyte on this machine, which may be busy.
    let begun = ContinuousClock.now
    let watching = try link.app(Command("curl", "--silent", "--output", "/dev/null", session.url)).start()
    defer { watching.stop() }
    try eventually("half a MB to be played") { try link.count().bytes > 500_000 }
    let asked = ContinuousClock.now - begun
    try eventually("a few MB to be played") { try link.count().bytes > 4_000_000 }
    try link.setHole(true)
    // This is longer than the time after which either program considers a connection dead, by the machine's clock.
    Thread.sleep(forTimeInterval: 20)
    try link.setHole(false)
    let start = ContinuousClock.now
    let bytes = try link.count().bytes
    try eventually("the film to go on") { try link.count().bytes > bytes + 500_000 }
    let more = ContinuousClock.now - start
    print("after 20 s without a network it goes on within \(more); at first it took \(asked)")
    if TestRun.comparesTimes { #expect(more < .seconds(3) + asked) }
    #expect(try session.interrupt() == 0)
    try server.stop()
  }
}
