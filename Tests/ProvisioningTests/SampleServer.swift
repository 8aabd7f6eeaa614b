/// `openssl s_server` on a free port of the loopback address, for one certificate.
import Foundation
import LinuxTestSupport
import Testing

struct SampleServer {
  private let process: RunningProgram
  let port: Int

  init(key: String, certificate: String) throws {
    process = try RunningProgram(
      Command("openssl", "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate, "-www"))
    port = try process.waitForOutput("the port of openssl s_server") { said in
      let line = said.split(separator: "\n").first { $0.hasPrefix("ACCEPT ") }
      return said.hasSuffix("\n") ? line.flatMap { Int($0.split(separator: ":").last ?? "") } : nil
    }
  }

  func stop() { process.kill() }
}
