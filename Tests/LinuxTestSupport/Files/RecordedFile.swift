import Foundation
import FootageSystem
import Testing

/// A file as a recorder leaves it: written, and no longer open for writing in any process.
///
/// A child process that another test starts meanwhile has this process's descriptors until it runs its program. In that
/// moment the kernel reports that child as a writer, so it looks like a recorder.
package enum RecordedFile {
  package static func write(_ bytes: [UInt8], to path: String) throws {
    try Data(bytes).write(to: URL(filePath: path))
    try waitUntilClosed(path)
  }

  /// Waits until no process has a file open for writing.
  package static func waitUntilClosed(_ path: String) throws {
    let file = try FileDescriptor.open(path, .reading)
    try eventually("the last writer's close of \(path)") { file.writers() != .held }
  }
}
