import Foundation

/// A random number generator that repeats its numbers for the same seed (Steele, Lea, Flood: Fast Splittable
/// Pseudorandom Number Generators, 2014: SplitMix64).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }
}

/// The settings of a test run, which come from its environment.
package enum TestRun {
  /// True if long tests are wanted: `FOOTAGE_SOAK` is set.
  package static let isSoaking = ProcessInfo.processInfo.environment["FOOTAGE_SOAK"] != nil

  /// True if a release is being tested on a machine that is otherwise idle. Only then may a test compare a time with a
  /// limit.
  package static let comparesTimes = ProcessInfo.processInfo.environment["FOOTAGE_RELEASE"] == "1"

  /// Returns a seed that differs in each run, and prints it. `FOOTAGE_SEED` repeats one.
  ///
  /// - Parameter purpose: the decision that the seed is for.
  package static func seed(of purpose: String) -> UInt64 {
    let given = ProcessInfo.processInfo.environment["FOOTAGE_SEED"].flatMap { UInt64($0) }
    let seed = given ?? .random(in: 0 ... .max)
    print("\(purpose): FOOTAGE_SEED=\(seed)")
    return seed
  }
}
