/// Recordings that were changed along their structure, each with the fuzzers' checks.

import Foundation
import FuzzTargets
import Testing

@Suite struct MutatorTests {
  @Test func `changed recordings are served as they are, or not at all`() throws {
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["FOOTAGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
    // Printed beforehand, since a finding may be a trap.
    print("seed \(seed): set FOOTAGE_SEED to repeat")
    let changesPerFile = environment["FOOTAGE_SOAK"] == nil ? 150 : 2_000
    var ready = 0
    var compared = 0
    var changed = 0
    for (name, bytes) in try Corpus.files("recordings") {
      var random = SeededRandom(seed: seed)
      for round in 0..<changesPerFile {
        let mutant = BoxMutator.mutate(bytes, limit: 16_384, random: &random)
        if mutant != bytes { changed += 1 }
        do {
          try FuzzTarget.boxes.run(mutant)
          guard let count = try Index.check(mutant) else { continue }
          ready += 1
          compared += count
        } catch {
          Issue.record("\(name), change \(round), seed \(seed): \(error)")
        }
      }
    }
    print("\(changed) changed files, \(ready) ready, \(compared) samples compared")
    // A mutator whose files are all refused would find nothing, and neither would a comparison without samples.
    #expect(changed > 2_000 && ready > changed / 5 && compared > ready)
  }

  @Test func `a seed brings its changes back`() throws {
    let (_, bytes) = try #require(try Corpus.files("recordings").first)
    func mutants() -> [[UInt8]] {
      var random = SeededRandom(seed: 7)
      return (0..<50).map { _ in BoxMutator.mutate(bytes, limit: 16_384, random: &random) }
    }
    let first = mutants()
    #expect(first == mutants())
    #expect(Set(first).count > 30)
  }

  @Test func `a file that is not changed is written as it was read`() throws {
    for (name, bytes) in try Corpus.files("recordings") {
      var random = SeededRandom(seed: 1)
      // If the limit is too small, the result is the unchanged input.
      #expect(BoxMutator.mutate(bytes, limit: 0, random: &random) == bytes, "\(name)")
      #expect(BoxMutator.rewritten(bytes) == bytes, "\(name)")
    }
  }
}
