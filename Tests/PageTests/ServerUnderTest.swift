/// The built `footage serve` on a free port of the loopback, with folders and certificates of its own.

import Foundation

final class ServerUnderTest {
  /// Where it answers: the address that it printed.
  private(set) var address: URL
  /// The folder whose recordings it serves.
  let recordings: URL
  private let folder: URL
  private var process: ChildProcess

  /// Where this package's `scripts` lie.
  private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Whether this checkout holds what makes certificates, and with it a server to test.
  static let isThere = FileManager.default.isExecutableFile(
    atPath: package.appending(path: "scripts/gen-certs.sh").path)

  /// The binary to test: the one built beside the running tests, or what `FOOTAGE_BINARY` names.
  private static var binary: String {
    get throws {
      if let named = ProcessInfo.processInfo.environment["FOOTAGE_BINARY"] { return named }
      let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(filePath: tests).deletingLastPathComponent().appending(path: "footage").path
    }
  }

  /// Makes certificates and starts a server over an empty folder of recordings below `folder`.
  ///
  /// Whoever starts it ends it with ``stop()``.
  init(in folder: URL) async throws {
    self.folder = folder
    recordings = folder.appending(path: "recordings")
    try FileManager.default.createDirectory(at: recordings, withIntermediateDirectories: true)
    try await ChildProcess(
      Self.package.appending(path: "scripts/gen-certs.sh").path,
      ["--out", folder.appending(path: "certs").path, "--name", "localhost", "--ip", "127.0.0.1"], logsIn: folder
    ).finish()
    (process, address) = try await Self.launch(in: folder, listen: "127.0.0.1:0")
  }

  /// What an app pins it by.
  var pin: String {
    get throws {
      try String(contentsOf: folder.appending(path: "certs/server.pin"), encoding: .utf8)
        .trimmingCharacters(in: .whitespacesAndNewlines)
    }
  }

  /// `footage` with these arguments.
  func footage(arguments: [String]) throws -> ChildProcess {
    try ChildProcess(Self.binary, arguments, logsIn: folder)
  }

  /// What it has said of requests and of itself.
  var log: String { process.errors }

  /// Ends the server, as SIGTERM does.
  func stop() async { await process.end() }

  /// Starts the server again where it was.
  func restart() async throws {
    (process, address) = try await Self.launch(in: folder, listen: "127.0.0.1:\(address.port ?? 0)")
  }

  private static func launch(in folder: URL, listen: String) async throws -> (ChildProcess, URL) {
    let process = try ChildProcess(
      binary,
      [
        "serve", "--recordings", folder.appending(path: "recordings").path,
        "--certs", folder.appending(path: "certs").path, "--listen", listen,
      ], logsIn: folder)
    do {
      // A line counts when it is complete: the address may still be on its way.
      let address = try await process.waitForOutput("address of the server") { output in
        output.contains("\n") ? output.split(separator: "\n").first.flatMap { URL(string: String($0)) } : nil
      }
      return (process, address)
    } catch {
      await process.end()
      throw error
    }
  }
}
