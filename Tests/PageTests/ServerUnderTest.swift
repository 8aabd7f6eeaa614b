/// The built `footage serve` on a free port of the loopback, with folders and certificates of its own.

import Foundation
import LinuxTestSupport
import Testing

final class ServerUnderTest {
  /// Where it answers: the address that it printed.
  private(set) var address: URL
  /// The folder whose recordings it serves.
  let recordings: URL
  private let folder: URL
  private let certs: String
  private let arguments: [String]
  private var process: RunningProgram

  /// Whether this checkout holds what makes certificates, and with it a server to test.
  static let isThere = FileManager.default.isExecutableFile(atPath: Checkout.path("scripts/gen-certs.sh"))

  /// Starts a server over an empty folder of recordings below `folder`.
  ///
  /// Whoever starts it ends it with ``stop()``.
  ///
  /// - Parameters:
  ///   - certs: nil for those that all tests share.
  ///   - arguments: further options.
  init(in folder: URL, certs: String? = nil, arguments: [String] = []) async throws {
    self.folder = folder
    self.certs = try certs ?? Fixtures.certs()
    self.arguments = arguments
    recordings = folder.appending(path: "recordings")
    try FileManager.default.createDirectory(at: recordings, withIntermediateDirectories: true)
    (process, address) = try await Self.launch(
      in: folder, certs: self.certs, listen: "127.0.0.1:\(HeldPort.next())", arguments)
  }

  /// What an app pins it by.
  var pin: String {
    get throws {
      try text(of: Fixtures.certs() + "/server.pin").trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// `footage` with these arguments.
  func footage(arguments: [String]) throws -> RunningProgram {
    try RunningProgram(FootageProgram.command(arguments))
  }

  /// What it has said of requests and of itself.
  var log: String { process.errors }

  /// Ends the server, as SIGTERM does.
  func stop() async { process.stop() }

  /// Starts the server again where it was.
  func restart() async throws {
    (process, address) = try await Self.launch(
      in: folder, certs: certs, listen: "127.0.0.1:\(address.port ?? 0)", arguments)
  }

  private static func launch(
    in folder: URL, certs: String, listen: String, _ arguments: [String]
  ) async throws -> (RunningProgram, URL) {
    let process = try RunningProgram(
      FootageProgram.command(
        [
          "serve", "--recordings", folder.appending(path: "recordings").path, "--certs", certs, "--listen", listen,
          "--access-log",
        ] + arguments))
    // A line counts when it is complete: the address may still be on its way.
    let address = try process.waitForOutput("address of the server") { output in
      output.contains("\n") ? output.split(separator: "\n").first.flatMap { URL(string: String($0)) } : nil
    }
    return (process, address)
  }
}
