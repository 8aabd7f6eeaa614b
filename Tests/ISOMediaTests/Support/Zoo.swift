/// The files that recorders write, made once by `scripts/make-zoo.sh`.

import Foundation
import Testing

struct Zoo {
  /// Made at first use; where the script fails, so does every test that asks.
  static let made: Result<Zoo, any Error> = Result { try Zoo() }

  let folder: URL
  /// Sorted.
  let names: [String]

  private static let package = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private init() throws {
    let script = Self.package.appendingPathComponent("scripts/make-zoo.sh")
    folder = Self.package.appendingPathComponent(".build/zoo")
    // A finished zoo carries the script that made it: another script makes another zoo.
    let stamp = folder.appendingPathComponent(".script")
    let wanted = try Data(contentsOf: script)
    if (try? Data(contentsOf: stamp)) != wanted {
      try? FileManager.default.removeItem(at: folder)
      _ = try Tool.run(script.path, [folder.path])
      try wanted.write(to: stamp)
    }
    names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
  }

  static func path(_ name: String) throws -> String {
    try made.get().folder.appendingPathComponent(name).path
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: try path(name))))
  }
}
