import Foundation
import LinuxTestSupport
import Testing

/// The reference of the HTTP interface, compared with the program.
@Suite(.timeLimit(.minutes(3))) struct HTTPReferenceTests {
  @Test func `the server does what the reference says, and nothing else`() async throws {
    let script = Fixtures.scripts + "/tools"
    let outcome = try await Command("python3", "-B", script, "check.http_reference", FootageProgram.path).finished()
    #expect(outcome.succeeded, "\(outcome.errors)")
  }
}
