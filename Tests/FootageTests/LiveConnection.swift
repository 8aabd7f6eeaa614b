/// A connection by `openssl s_client` that stays open from one request to the next, until the server ends it.
import Foundation
import TestSupport
import Testing

final class LiveConnection {
  private let process: Process
  private let input = Pipe()
  private let folder: TemporaryFolder
  private var requests = 0

  /// - Parameter client: whose certificate it shows; of the server's folder, with its key.
  init(_ server: Server, _ arguments: String..., client: String? = nil) throws {
    folder = try TemporaryFolder()
    let identity = client.map { ["-cert", server.certs + "/clients/\($0)-both.pem"] } ?? []
    process = try Command(
      "openssl",
      arguments: [
        "s_client", "-quiet", "-connect", "127.0.0.1:\(server.port)", "-servername", "localhost", "-CAfile",
        server.certs + "/server.pem",
      ] + identity + arguments
    ).prepared()
    process.standardInput = input
    process.standardOutput = try writing(to: folder.path("output"))
    process.standardError = try writing(to: folder.path("errors"))
    try process.runWithSignals()
  }

  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  var isOpen: Bool { process.isRunning }

  /// Everything that came, and what openssl says of it.
  var output: String { ((try? text(of: folder.path("output"))) ?? "") + ((try? text(of: folder.path("errors"))) ?? "") }

  /// Asks for something and waits for its answer.
  func ask(_ path: String, expecting status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation) throws {
    requests += 1
    try input.fileHandleForWriting.write(contentsOf: Data("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
    try eventually("answer \(requests) in \(output)", sourceLocation: sourceLocation) {
      output.components(separatedBy: "HTTP/1.1 \(status) ").count > requests
    }
  }
}
