/// The fuzzers' seeds.

import Foundation

enum Corpus {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fuzz/Corpus")

  /// Returns the files of a corpus by name, sorted.
  static func files(_ name: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = folder.appending(path: name)
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, Array(try Data(contentsOf: folder.appending(path: $0))))
    }
  }
}
