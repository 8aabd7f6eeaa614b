/// A real robot: `footage serve`.
import Foundation
import LinuxTestSupport
import Testing

final class ServedRobot {
  /// The path of the program under test, which this package does not build.
  static let binary = ProcessInfo.processInfo.environment["FOOTAGE_BINARY"]

  private let folder: TemporaryFolder
  private let process: RunningProgram
  /// The robot's address: `127.0.0.1:PORT`.
  let address: String
  /// The pin that the robot's console shows.
  let pin: String

  /// - Parameters:
  ///   - names: the names of its recordings, without `.mp4`.
  ///   - certs: the folder of its certificates.
  ///   - address: the address to listen on; nil for any free port.
  init(_ names: [String] = [], certs: String, at address: String? = nil, _ arguments: String...) throws {
    folder = try TemporaryFolder()
    let recordings = folder.path("recordings")
    for name in names {
      let file = URL(fileURLWithPath: "\(recordings)/\(name).mp4")
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: try Fixtures.clip(), toPath: file.path)
    }
    try FileManager.default.createDirectory(atPath: recordings, withIntermediateDirectories: true)
    process = try RunningProgram(
      FootageProgram.command(
        ["serve", "--recordings", recordings, "--certs", certs, "--listen", address ?? "127.0.0.1:0"] + arguments))
    let lines = try process.waitForOutput("its address and pin") { said in
      said.filter { $0 == "\n" }.count >= 2 ? said.split(separator: "\n").map(String.init) : nil
    }
    let port = try #require(lines[0].split(separator: ":").last?.prefix { $0.isNumber })
    self.address = "127.0.0.1:\(port)"
    pin = lines[1]
  }

  deinit { process.kill() }

  func switchOff() { process.kill() }

  func served(_ name: String) async throws -> [UInt8] {
    try await Self.fetched("https://\(address)/recordings/\(name).mp4")
  }

  /// Returns the bytes that curl receives. It is a client that does not use the library.
  static func fetched(_ url: String) async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let file = folder.path("fetched")
    let outcome = try await Command(
      "curl", "--silent", "--show-error", "--fail", "--insecure", "--output", file, url
    ).finished()
    try #require(outcome.succeeded, "\(url): \(outcome.errors)")
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }
}
