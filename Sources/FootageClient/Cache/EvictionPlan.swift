/// Which versions go so that another may grow: whole ones, the one first that was unused for longest.

struct EvictionPlan: Sendable {
  typealias Candidate = (id: Int64, lastUse: Int64, bytes: UInt64)

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
    self.candidates = candidates.sorted { $0.lastUse > $1.lastUse }
  }

  /// Makes room.
  ///
  /// - Returns: `bytes`, or less where there is no more, but at least `needed`; nil where not even that is to be had, and
  ///   then nothing is evicted: it would be in vain.
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
