/// Runs command line tools for tests.

import Foundation

struct ToolFailure: Error, CustomStringConvertible {
  let description: String
}

enum Tool {
  /// What the tool wrote to standard output; throws what it wrote to standard error where it fails.
  static func run(_ name: String, _ arguments: [String]) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [name] + arguments
    let folder = try TemporaryFolder()
    // Files instead of pipes: neither side can block on the other.
    let output = folder.path("out")
    let errors = folder.path("err")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    _ = FileManager.default.createFile(atPath: errors, contents: nil)
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: errors))
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let text = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
      throw ToolFailure(description: "\(name) \(arguments.joined(separator: " ")): \(text)")
    }
    return try String(contentsOfFile: output, encoding: .utf8)
  }
}

/// A folder that goes with its last reference.
final class TemporaryFolder {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("footage-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appendingPathComponent(name).path }
}
