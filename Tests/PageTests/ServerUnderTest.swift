/// The built `footage serve` on a free port of the loopback, with folders and certificates of its own.

import Foundation
import LinuxTestSupport
import Testing

final class ServerUnderTest {
  /// The server's address, as it printed it.
  private(set) var address: URL
  /// The folder whose recordings it serves.
  let recordings: URL
  private let folder: URL
  private let certs: String
  private let arguments: [String]
  private var process: RunningProgram

  /// True if this checkout contains the script that makes certificates, and so has a server to test.
  static let isThere = FileManager.default.isExecutableFile(atPath: Checkout.path("scripts/gen-certs.sh"))

  /// Starts a server over an empty folder of recordings below `folder`.
  ///
  /// The caller must end it with ``stop()``.
  ///
  /// - Parameters:
  ///   - certs: the folder of certificates; nil for the one that all tests share.
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

  /// The pin by which an app knows the server.
  var pin: String {
    get throws {
      try text(of: Fixtures.certs() + "/server.pin").trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// Starts `footage` with these arguments.
  func footage(arguments: [String]) throws -> RunningProgram {
    try RunningProgram(FootageProgram.command(arguments))
  }

  /// The server's log.
  var log: String { process.errors }

  /// Ends the server with SIGTERM.
  func stop() async { process.stop() }

  /// Starts the server again at the same address.
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
    // A line counts only when it is complete, since the address may still be arriving.
    let address = try process.waitForOutput("address of the server") { output in
      output.contains("\n") ? output.split(separator: "\n").first.flatMap { URL(string: String($0)) } : nil
    }
    return (process, address)
  }
}
