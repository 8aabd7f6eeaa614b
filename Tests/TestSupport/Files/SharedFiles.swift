import Foundation

/// Files that are made once per run and not changed. The first process that asks for one makes it; the others wait.
package enum SharedFiles {
  /// The folder that `scripts/tools/run_tests.py` names, and removes when all processes have ended; without the script,
  /// a folder of this process.
  private static let folder: Result<String, any Error> = Result {
    if let named = ProcessInfo.processInfo.environment["FOOTAGE_FIXTURES"] { return named }
    let own = try TemporaryFolder()
    ownFolder = own
    atexit { SharedFiles.ownFolder = nil }
    return own.location
  }
  /// The folder of this process. It is written once, before anything can ask for it, and once when the process ends.
  nonisolated(unsafe) private static var ownFolder: TemporaryFolder?

  /// Returns the path of a file or folder, and makes it first if necessary.
  ///
  /// - Parameter make: makes the item at the given path. Remains of a process that was ended are removed first.
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

  /// Runs a closure while no other process holds the same lock.
  package static func locked<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
    let lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX) == 0 else { throw CocoaError(.fileLocking) }
    defer { close(lock) }
    return try body()
  }
}
