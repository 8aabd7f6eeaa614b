/// `footage play` as a child process.
import Foundation
import LinuxTestSupport
import Testing

final class PlaySession {
  let process: RunningProgram
  private let folder: TemporaryFolder
  /// The URL, which is its first line of output.
  private(set) var url = ""

  /// - Parameters:
  ///   - port: the port of the robot; nil for the server's own.
  ///   - link: the link at whose far end the robot is; nil for this machine's own network.
  ///   - cache: the cache's folder.
  init(
    _ name: String, on server: Server? = nil, port: Int? = nil, over link: FarLink? = nil, cache: String,
    _ arguments: String...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    folder = try TemporaryFolder()
    let robot =
      server.map {
        ["--robot", "\(link == nil ? "127.0.0.1" : FarLink.robotAddress):\(port ?? $0.port)", "--pin", $0.pin]
      } ?? []
    let command = FootageProgram.command(
      ["play", name, "--cache", cache] + robot + arguments, environment: ["XDG_CONFIG_HOME": folder.path("config")])
    process = try RunningProgram(link?.app(command) ?? command)
    url = try process.waitForOutput("the playback's URL", sourceLocation: sourceLocation) { output in
      output.firstIndex(of: "\n").map { String(output[..<$0]) }
    }
  }

  var errors: String { process.errors }

  /// Waits until it reports that the recording is complete.
  func waitUntilComplete(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try eventually("the recording to be complete; it said \(errors)", sourceLocation: sourceLocation) {
      errors.contains("complete")
    }
  }

  /// Ends it with Ctrl-C.
  func interrupt() throws -> Int32 {
    process.signal(SIGINT)
    return try process.exitStatus()
  }

  /// Returns the bytes that an ordinary player receives.
  func bytes(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> Data {
    let target = folder.path("fetched-\(UUID().uuidString)")
    let outcome = try Command(
      "curl",
      arguments: ["--silent", "--show-error", "--fail", "--max-time", "60", "--output", target] + arguments + [url]
    ).run()
    try #require(outcome.succeeded, "\(outcome.errors) \(errors)", sourceLocation: sourceLocation)
    return try Data(contentsOf: URL(fileURLWithPath: target))
  }
}

extension Server {
  /// Returns the log lines about a recording's bytes, for requests with and without a version. No client may be
  /// connected any more when it is called.
  func byteLines(of name: String) throws -> [String] {
    try answered("\"GET /recordings/\(name).mp4").filter(Self.isAboutBytes)
  }

  static func isAboutBytes(_ line: String) -> Bool { line.contains(#/\.mp4(\?v=[0-9a-f]+)?" /#) }

  /// Returns the number of bytes of a recording that were sent according to the log.
  func sentBytes(of name: String) throws -> Int {
    try byteLines(of: name).compactMap { line in
      line.firstMatch(of: /" 20[06] ([0-9]+) bytes/).flatMap { Int($0.1) }
    }.reduce(0, +)
  }

  /// Returns the number of requests for a recording's bytes.
  func requestCount(of name: String) throws -> Int { try byteLines(of: name).count }
}
