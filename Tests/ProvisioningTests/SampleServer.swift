/// `openssl s_server` on a free port of the loopback address, for one certificate.
import Foundation
import TestSupport
import Testing

struct SampleServer {
  let process: Process
  let port: Int

  init(key: String, certificate: String) throws {
    process = try Command(
      "openssl", "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www"
    ).prepared()
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.runWithSignals()
    var said = ""
    var found: Int?
    while found == nil {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { break }
      said += String(decoding: data, as: UTF8.self)
      let line = said.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
      if said.hasSuffix("\n") { found = line.flatMap { Int($0.split(separator: ":").last ?? "") } }
    }
    port = try #require(found, "openssl s_server said: \(said)")
  }

  /// By SIGKILL: children of a test's thread inherit its blocked signals, SIGTERM among them.
  func stop() {
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
