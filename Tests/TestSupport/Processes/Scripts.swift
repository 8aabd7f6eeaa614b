import Foundation

extension TemporaryFolder {
  /// Adds an executable script.
  ///
  /// Another process writes it. A child process has, for an instant, all descriptors that are open here, and the system
  /// does not execute a file that any process has open for writing (`ETXTBSY`).
  package func addScript(_ name: String, _ text: String) throws {
    let draft = path(".\(name).draft")
    try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
    _ = try Command("install", "-m", "755", draft, path(name)).successfulOutput()
    try FileManager.default.removeItem(atPath: draft)
  }
}
