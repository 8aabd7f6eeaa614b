/// The fuzzers' seeds and what they once found, each with the same checks.

import Foundation
import FuzzTargets
import Testing

@Suite struct CorpusTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Fuzz/Corpus")

  @Test(arguments: FuzzTarget.allCases) func `no seed finds anything`(target: FuzzTarget) throws {
    let folder = Self.corpus.appending(path: target.corpus)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(!names.isEmpty)
    for name in names {
      let bytes = Array(try Data(contentsOf: folder.appending(path: name)))
      #expect(throws: Never.self, "\(target)/\(name)") { try target.run(bytes) }
      // Cut short, as a fuzzer does first of all.
      for cut in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 16)) {
        #expect(throws: Never.self, "\(target)/\(name), the first \(cut) bytes") {
          try target.run(Array(bytes[..<cut]))
        }
      }
    }
  }
}
