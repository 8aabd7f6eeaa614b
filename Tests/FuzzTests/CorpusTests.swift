/// The fuzzers' seeds and past findings, each with the same checks.

import FuzzTargets
import Testing

@Suite struct CorpusTests {
  @Test(arguments: FuzzTarget.allCases) func `no seed finds anything`(target: FuzzTarget) throws {
    let files = try Corpus.files(target.corpus)
    #expect(!files.isEmpty)
    for (name, bytes) in files {
      #expect(throws: Never.self, "\(target)/\(name)") { try target.run(bytes) }
      // Cut short, which is the first thing that a fuzzer tries.
      for cut in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 16)) {
        #expect(throws: Never.self, "\(target)/\(name), the first \(cut) bytes") {
          try target.run(Array(bytes[..<cut]))
        }
      }
    }
  }
}
