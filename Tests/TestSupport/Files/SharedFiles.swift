import Foundation

/// Files that are made once a run and not changed: by whichever process of a run asks first, and the others wait for it.
package enum SharedFiles {
  /// The folder that `scripts/tools/run_tests.py` names, and removes when all processes have ended; else one of this process.
  private static let folder: Result<String, any Error> = Result {
    if let named = ProcessInfo.processInfo.environment["FOOTAGE_FIXTURES"] { return named }
    let own = try TemporaryFolder()
    ownFolder = own
    atexit { SharedFiles.ownFolder = nil }
    return own.location
  }
  /// Written once, before anybody can ask for the folder, and once when the process ends.
  nonisolated(unsafe) private static var ownFolder: TemporaryFolder?

  /// The path of something, a file or a folder.
  ///
  /// - Parameter make: makes it at the path that it is handed. What a process that was ended has left there is removed before.
  package static func path(_ name: String, make: (String) throws -> Void) throws -> String {
    let path = try folder.get() + "/" + name
    try locked(path + ".lock") {
      let isMade = path + ".made"
      guard !FileManager.default.fileExists(atPath: isMade) else { return }
      try? FileManager.default.removeItem(atPath: path)
      try make(path)
      try Data().write(to: URL(fileURLWithPath: isMade))
    }
    return path
  }

  /// Carries something out while no other process does that with the same lock.
  package static func locked<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
    defer { close(lock) }
    return try body()
  }
}
