/// A download by curl whose reader stands still in the middle, so that most of it is still the server's to send.
import Foundation
import TestSupport
import Testing

final class PausedTransfer {
  private let process: Process
  private let pipe = Pipe()
  private let folder: TemporaryFolder
  private var received = Data()

  /// Returns once the first bytes have come.
  convenience init(_ server: Server, _ path: String, _ arguments: String...) throws {
    try self.init(server, path, arguments: arguments)
  }

  init(_ server: Server, _ path: String, arguments: [String]) throws {
    folder = try TemporaryFolder()
    process = try server.curl(arguments: ["--fail", "--no-buffer"] + arguments + [server.url + path]).prepared()
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = try writing(to: folder.path("errors"))
    try process.runWithSignals()
    received = pipe.fileHandleForReading.availableData
    let errors = try received.isEmpty ? text(of: folder.path("errors")) : ""
    try #require(!received.isEmpty, "\(errors)")
  }

  deinit {
    guard process.isRunning else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Reads the rest.
  func finish() -> (status: Int32, bytes: Data) {
    received += pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, received)
  }
}
