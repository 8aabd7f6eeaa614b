import Foundation

extension TemporaryFolder {
  /// Adds a script that can be started.
  ///
  /// Another process writes it. A process that starts has, for an instant, all that is open here, and the system starts no
  /// file that anybody has open for writing (`ETXTBSY`).
  package func addScript(_ name: String, _ text: String) throws {
    let draft = path(".\(name).draft")
    try Data(text.utf8).write(to: URL(fileURLWithPath: draft))
    _ = try Command("install", "-m", "755", draft, path(name)).successfulOutput()
    try FileManager.default.removeItem(atPath: draft)
  }
}
