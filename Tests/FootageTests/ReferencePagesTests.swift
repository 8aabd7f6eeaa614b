import Foundation
import LinuxTestSupport
import Testing

/// The documents that describe the program's behavior, compared with the program.
@Suite(.timeLimit(.minutes(3))) struct ReferencePagesTests {
  /// Runs a tool of `scripts/tools/check` on the program.
  private func check(_ tool: String) async throws {
    let outcome = try await Command("python3", "-B", Fixtures.scripts + "/tools", tool, FootageProgram.path).finished()
    #expect(outcome.succeeded, "\(outcome.errors)")
  }

  @Test func `the server does what the reference says, and nothing else`() async throws {
    try await check("check.http_reference")
  }

  @Test func `the page of options is what the program's help says`() async throws { try await check("check.options") }

  /// They run in a network namespace, as a far link does.
  @Test(.overAFarLink) func `the commands of the guide do what it says`() async throws {
    try await check("check.guide")
  }
}
