internal import FootageBase

/// Which versions go so that another may grow: whole ones, the one first that was unused for longest.
struct EvictionPlan: Sendable {
  /// What may go.
  struct Candidate: Hashable, Sendable {
    let id: Int64
    /// The robot has another version by now: it goes before all others.
    let isOutdated: Bool
    let lastUse: Int64
    let bytes: UInt64
  }

  private let quota: UInt64
  private var used: UInt64
  /// The next to go last.
  private var candidates: [Candidate]
  /// In the order in which they go.
  private(set) var evicted: [Int64] = []

  /// - Parameters:
  ///   - quota: in bytes, as is `used`, which counts everything.
  ///   - candidates: what may go.
  init(quota: UInt64, used: UInt64, candidates: [Candidate]) {
    self.quota = quota
    self.used = used
    self.candidates = Self.inTurn(candidates).reversed()
  }

  /// The next to go first.
  static func inTurn(_ candidates: [Candidate]) -> [Candidate] {
    candidates.sorted { ($0.isOutdated ? 0 : 1, $0.lastUse) < ($1.isOutdated ? 0 : 1, $1.lastUse) }
  }

  /// Makes room.
  ///
  /// - Returns: `bytes`, or less where there is no more, but at least `needed`; nil where not even that is to be had,
  ///   and then nothing is evicted: it would be in vain.
  mutating func room(_ bytes: UInt64, atLeast needed: UInt64) -> UInt64? {
    let removable = candidates.reduce(UInt64(0)) { $0.addingClamped($1.bytes) }
    let lowest = used - min(used, removable)
    guard lowest <= quota, quota - lowest >= needed else { return nil }
    while free < needed, let next = candidates.popLast() {
      used -= min(used, next.bytes)
      evicted.append(next.id)
    }
    let granted = min(max(bytes, needed), free)
    used = used.addingClamped(granted)
    return granted
  }

  private var free: UInt64 { quota - min(quota, used) }
}
