import Foundation
import LinuxTestSupport
import Testing

@testable import FootageCommands

/// A download's progress on a terminal.
@Suite struct DrawnLineTests {
  @Test func `on a terminal one line is drawn, which what is said does not break`() throws {
    try withServer(recordings: ["front/2026-11-20T10-15-30.mp4"]) { server in
      let relay = try Relay(to: server.port) { number in
        number == 0 ? [.pass(100_000), .reset] : [.trickle(16_384, microseconds: 20_000)]
      }
      let folder = try TemporaryFolder()
      let fetch =
        "\(FootageProgram.path) fetch front/2026-11-20T10-15-30 --robot 127.0.0.1:\(relay.port) --pin \(server.pin) -o \(folder.path("a.mp4"))"
      let outcome = try Command(
        "script", "-qec", "stty cols 40; \(fetch)", "/dev/null", environment: ["TERM": "xterm"]
      ).run()
      #expect(outcome.succeeded, "\(outcome.errors)")
      let drawn = outcome.output.components(separatedBy: "\r\u{1B}[K")
      #expect(drawn.count > 3, "\(outcome.output)")
      for part in drawn.dropFirst() {
        let line = part.components(separatedBy: "\r\n")
        // A progress line, or a complete line of a message.
        if line.count == 1 { #expect(ProgressLine.width(part) < 40 && part.contains("%"), "'\(part)'") }
      }
      #expect(drawn.contains { $0.hasPrefix("footage: the robot cannot be reached: ") && $0.contains(" s\r\n") })
      #expect(drawn.last?.hasSuffix("100%\r\n\(folder.path("a.mp4"))\r\n") == true, "\(drawn.last ?? "")")
    }
  }
}
