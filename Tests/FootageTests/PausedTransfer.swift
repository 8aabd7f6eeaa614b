/// A download by curl whose reader stops in the middle, so that the server still has to send most of it.
import Foundation
import LinuxTestSupport
import Testing

final class PausedTransfer {
  private let process: RunningProgram
  private let pipe = Pipe()
  private var received = Data()

  /// Returns once the first bytes have arrived.
  convenience init(_ server: Server, _ path: String, _ arguments: String...) throws {
    try self.init(server, path, arguments: arguments)
  }

  init(_ server: Server, _ path: String, arguments: [String]) throws {
    process = try RunningProgram(
      server.curl(arguments: ["--fail", "--no-buffer"] + arguments + [server.url + path]), output: pipe)
    received = pipe.fileHandleForReading.availableData
    try #require(!received.isEmpty, "\(process.errors)")
  }

  /// Reads the rest.
  func finish() -> (status: Int32, bytes: Data) {
    received += pipe.fileHandleForReading.readDataToEndOfFile()
    return (process.waitForEnd(), received)
  }
}
