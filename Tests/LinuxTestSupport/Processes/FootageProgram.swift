import Foundation

/// The program under test, as it was built along with the tests.
package enum FootageProgram {
  /// The path of the program: `FOOTAGE_BINARY` if it is set, or else next to the running test bundle.
  package static let path: String = {
    if let named = ProcessInfo.processInfo.environment["FOOTAGE_BINARY"] { return named }
    return built("footage")
  }()

  /// Returns the path of a program next to the running test bundle.
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

  /// Returns a command that runs as a user to whom file modes apply, which they do not to root.
  ///
  /// - Parameter folder: the folder that this user owns, with a copy of the program, whose own folder may be closed to
  ///   others.
  package static func commandWithoutPrivileges(owning folder: TemporaryFolder, _ arguments: [String]) throws -> Command
  {
    guard getuid() == 0 else { return Command(path, arguments: arguments) }
    let copy = folder.path("footage")
    // Another process writes the copy. A file that is open for writing here is briefly also open in any child process
    // that is started meanwhile, and then the copy could not be executed.
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
