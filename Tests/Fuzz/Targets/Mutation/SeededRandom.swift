/// A random number generator that repeats its numbers for the same seed (SplitMix64).

package struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// - Parameter count: the exclusive upper bound, at least 1.
  mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }

  mutating func chance(_ percent: Int) -> Bool { below(100) < percent }

  /// Returns a number with which arithmetic is likely to go wrong: around 0, at the ends of integer types, or near a
  /// value.
  mutating func edge(near value: UInt64 = 0) -> UInt64 {
    let edges: [UInt64] = [
      0, 1, 2, 7, 8, 255, 0x7FFF, 0x1_0000, 50_000_000, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFE, 0xFFFF_FFFF, 1 << 32,
      1 << 60, 1 << 62, .max >> 1, 1 << 63, .max - 1, .max,
    ]
    switch below(8) {
    case 0...3: return edges[below(edges.count)]
    case 4: return value &+ 1
    case 5: return value &- 1
    case 6: return value ^ (1 << UInt64(below(64)))
    default: return value &+ UInt64(below(4_096)) &- 2_048
    }
  }
}
