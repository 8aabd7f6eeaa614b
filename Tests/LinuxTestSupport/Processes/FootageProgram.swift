import Foundation

/// The program under test, as it was built beside the tests.
package enum FootageProgram {
  /// Beside the bundle of tests that is running, or what `FOOTAGE_BINARY` names.
  package static let path: String = {
    if let named = ProcessInfo.processInfo.environment["FOOTAGE_BINARY"] { return named }
    return built("footage")
  }()

  /// Beside the bundle of tests that is running.
  package static func built(_ program: String) -> String {
    let running = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? running ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: bundle).deletingLastPathComponent().appendingPathComponent(program).path
  }

  package static func command(_ arguments: String..., environment: [String: String] = [:]) -> Command {
    Command(path, arguments: arguments, environment: environment)
  }

  package static func command(_ arguments: [String], environment: [String: String] = [:]) -> Command {
    Command(path, arguments: arguments, environment: environment)
  }

  /// Runs it as somebody whom the modes of files hold back, which they do not do to root.
  ///
  /// - Parameter folder: what this user owns, with a copy of the program, which may lie where others cannot look.
  package static func commandWithoutPrivileges(owning folder: TemporaryFolder, _ arguments: [String]) throws -> Command
  {
    guard getuid() == 0 else { return Command(path, arguments: arguments) }
    let copy = folder.path("footage")
    // Another process writes it: what is open for writing here is so for a moment in whatever is started meanwhile, and
    // could not be started.
    let copied = try Command("cp", path, copy).run()
    guard copied.succeeded else { throw CocoaError(.fileWriteNoPermission) }
    let nobody = "65534"
    let changed = try Command("chown", "-R", "\(nobody):\(nobody)", folder.location).run()
    guard changed.succeeded else { throw CocoaError(.fileWriteNoPermission) }
    return Command(
      "setpriv",
      arguments: ["--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", "--inh-caps=-all", copy] + arguments)
  }
}
