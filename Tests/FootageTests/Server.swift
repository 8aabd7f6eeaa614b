/// `footage serve` as a child process, on a free port of the loopback address.
import FootageAPI
import FootageBase
import Foundation
import LinuxTestSupport
import Testing

final class Server {
  let folder: TemporaryFolder
  let certs: String
  let process: RunningProgram
  private(set) var port = 0
  /// The pin, which is its second line on standard output.
  private(set) var pin = ""
  /// The link on whose robot's side it runs; nil for this machine's own network.
  private let link: FarLink?

  /// - Parameters:
  ///   - prepare: fills the recordings folder before the start.
  ///   - certs: the folder of certificates; nil for the one that all tests share, which must not be changed.
  ///   - link: the link at whose far end the robot is and listens.
  ///   - port: the port; nil for one that no other process gets.
  ///   - wrap: replaces the command with the one that is run instead.
  init(
    _ arguments: [String] = [], folder: TemporaryFolder? = nil, certs: String? = nil,
    environment: [String: String] = [:], link: FarLink? = nil, port wanted: Int? = nil,
    wrap: (Command) throws -> Command = { $0 }
  ) throws {
    self.link = link
    self.folder = try folder ?? TemporaryFolder()
    self.certs = try certs ?? Fixtures.certs()
    let recordings = self.folder.path("recordings")
    try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
    let listen = try link == nil ? "127.0.0.1:\(wanted ?? Int(HeldPort.next()))" : "[::]:\(wanted ?? 0)"
    let command = try wrap(
      Command(
        FootageProgram.path,
        arguments: ["serve", "--recordings", recordings, "--certs", self.certs, "--listen", listen] + arguments,
        environment: ["FOOTAGE_ACCESS_LOG": "1"].merging(environment) { $1 }))
    process = try RunningProgram(link?.robot(command) ?? command)
    do { try readAddress() } catch {
      kill()
      throw error
    }
  }

  private func readAddress() throws {
    let lines = try process.waitForOutput("the server's address and pin") { said in
      said.filter { $0 == "\n" }.count >= 2 ? said.split(separator: "\n") : nil
    }
    let address = try #require(lines[0].wholeMatch(of: /https:\/\/[^\/ ]+:([0-9]+)\//))
    port = try #require(Int(address.1))
    pin = String(lines[1])
  }

  // MARK: The recordings folder

  var recordings: String { folder.path("recordings") }

  /// Returns the path of a recording's file.
  func file(_ name: String) -> String { folder.path("recordings/" + name) }

  func addClip(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: file(name)).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: file(name))
  }

  // MARK: The output

  var log: String { process.errors }

  /// The end of the log without the requests for lists, of which a waiting test makes many.
  var story: String {
    let lines = log.split(separator: "\n").filter { !$0.contains("\"GET /recordings\" 200") }
    return lines.suffix(20).joined(separator: "\n")
  }

  /// Returns the log lines about requests that contain these words, once all answers are logged. A line is written
  /// after the last byte was sent, perhaps after the reader has continued, and before the connection ends. No other
  /// client may be connected any more.
  func answered(_ words: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
    try eventually("nobody to be connected; \(story)", sourceLocation: sourceLocation) {
      try get("/metrics").contains("\nfootage_connections 1\n")
    }
    let mark = "/health?mark="
    let asked = "\(mark)\(UInt64.random(in: 0 ... .max))"
    _ = try status(asked)
    try waitForLine(with: asked, sourceLocation: sourceLocation)
    return lines(with: words).filter { !$0.contains(mark) && !$0.contains("\"GET /metrics\"") }
  }

  /// Returns the lines of the log that contain these words.
  func lines(with words: String) -> [String] {
    log.split(separator: "\n").map(String.init).filter { $0.contains(words) }
  }

  func waitForLine(
    with words: String, count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try eventually("'\(words)' in \(story)", sourceLocation: sourceLocation) { lines(with: words).count >= count }
  }

  // MARK: Requests

  var url: String { "https://localhost:\(port)" }

  /// An item of the list, as an app reads it, with the state as a word.
  struct Item {
    let item: RecordingItem

    var name: String { item.name }
    var camera: String? { item.camera }
    var url: String { item.target }
    var size: Int { Int(item.size) }
    var etag: String? { item.entityTag }
    var duration: Double? { item.duration }
    var video: VideoFormat? { item.video }

    var state: String {
      switch item.state {
      case .ready: "ready"
      case .recording: "recording"
      case .refused: "refused"
      case .other(let word): word
      }
    }

    var reason: String? { if case .refused(let reason) = item.state { reason } else { nil } }
  }

  /// Returns a curl command with the server's certificate as its authority, and without a progress meter.
  func curl(_ arguments: String...) -> Command { curl(arguments: arguments) }

  func curl(arguments: [String]) -> Command {
    let command = Command(
      "curl",
      arguments: [
        "--silent", "--show-error", "--max-time", "60", "--cacert", certs + "/server.pem",
        "--resolve", "localhost:\(port):127.0.0.1",
      ] + arguments)
    return link?.robot(command) ?? command
  }

  /// Returns the content of a resource, as curl shows it.
  func get(_ path: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> String {
    let outcome = try curl("--fail-with-body", url + path).run()
    try #require(outcome.succeeded, "\(outcome.output) \(outcome.errors)", sourceLocation: sourceLocation)
    ServedMedia.check(path, outcome.output.utf8, of: folder.path(""), sourceLocation: sourceLocation)
    return outcome.output
  }

  /// Returns the status of a resource.
  func status(_ path: String, _ arguments: String...) throws -> Int {
    let asked = ["--output", "/dev/null", "--write-out", "%{http_code}"] + arguments + [url + path]
    let outcome = try curl(arguments: asked).run()
    try #require(outcome.succeeded, "\(outcome.errors)")
    return try #require(Int(outcome.output))
  }

  /// Returns the first page of the list.
  func list(_ query: ListQuery = ListQuery()) throws -> [Item] {
    let json = try #require(JSONValue(Array(try get(Resource.recordings(query).target).utf8)))
    return try #require(RecordingList(json)).items.map { json in
      let item = Item(item: try RecordingItem(json))
      // The URL that apps would construct equals the written one.
      #expect(json["url"]?.string == item.url)
      return item
    }
  }

  func item(_ name: String) throws -> Item? { try list().first { $0.name == name } }

  /// Waits until a recording has this state.
  @discardableResult
  func waitForState(
    _ state: String, of name: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Item {
    try eventually("\(name) to be \(state); log: \(story)", sourceLocation: sourceLocation) {
      try item(name).flatMap { $0.state == state ? $0 : nil }
    }
  }

  /// Returns the bytes that are served at a path.
  func download(_ path: String, _ arguments: String...) throws -> Data {
    let target = folder.path("download-\(UUID().uuidString)")
    let outcome = try curl(arguments: ["--fail", "--output", target] + arguments + [url + path]).run()
    try #require(outcome.succeeded, "\(outcome.errors); log: \(story)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: target))
    if arguments.isEmpty { ServedMedia.check(path, bytes) }
    return bytes
  }

  // MARK: The end

  func signal(_ number: Int32) { process.signal(number) }

  /// Waits until the server has ended.
  ///
  /// - Returns: the exit status, or 128 and the signal's number.
  func waitForExit(sourceLocation: SourceLocation = #_sourceLocation) throws -> Int32 {
    try process.exitStatus(sourceLocation: sourceLocation)
  }

  /// Asks it to stop, and checks that it was still running, obeys, and ends without an error.
  func stop(sourceLocation: SourceLocation = #_sourceLocation) throws {
    if process.isRunning {
      signal(SIGTERM)
    } else {
      Issue.record("the server had ended: \(story)", sourceLocation: sourceLocation)
    }
    #expect(try waitForExit() == 0, "\(story)", sourceLocation: sourceLocation)
    checkForCrash(sourceLocation: sourceLocation)
  }

  func checkForCrash(sourceLocation: SourceLocation = #_sourceLocation) {
    for sign in ["Fatal error", "Program crashed", "Sanitizer", "*** "] {
      #expect(!log.contains(sign), "\(story)", sourceLocation: sourceLocation)
    }
  }

  func kill() { process.kill() }
}

/// Runs a closure with a server, which must outlive it and stop in an orderly way, unless `stop` does something else.
func withServer(
  _ arguments: String..., certs: String? = nil, environment: [String: String] = [:],
  recordings: [String] = [], sourceLocation: SourceLocation = #_sourceLocation, _ body: (Server) throws -> Void,
  stopping stop: (Server) throws -> Void = { try $0.stop() }
) throws {
  let folder = try TemporaryFolder()
  for name in recordings {
    let path = folder.path("recordings/" + name)
    try FileManager.default.createDirectory(
      atPath: URL(fileURLWithPath: path).deletingLastPathComponent().path, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: path)
  }
  let server = try Server(arguments, folder: folder, certs: certs, environment: environment)
  defer { server.kill() }
  for name in recordings {
    try server.waitForState("ready", of: String(name.dropLast(4)), sourceLocation: sourceLocation)
  }
  try body(server)
  try stop(server)
}
