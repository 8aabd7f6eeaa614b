internal import FootageBase

/// The choice of versions to remove so that another one may grow. Whole versions are removed: outdated ones first, then
/// those that were unused for longest.
struct EvictionPlan: Sendable {
  /// A version that may be removed.
  struct Candidate: Hashable, Sendable {
    let id: Int64
    /// True if the robot has a different version now, or a newer version is cached and the robot's version is unknown.
    /// An outdated version is removed before all others.
    let isOutdated: Bool
    let lastUse: Int64
    let bytes: UInt64
  }

  private let quota: UInt64
  private var used: UInt64
  /// The versions that may still be removed; the next one to go is the last.
  private var candidates: [Candidate]
  /// The versions to remove, in order.
  private(set) var evicted: [Int64] = []

  /// - Parameters:
  ///   - quota: the quota in bytes. `used` is in bytes as well, and counts everything.
  ///   - candidates: the versions that may be removed.
  init(quota: UInt64, used: UInt64, candidates: [Candidate]) {
    self.quota = quota
    self.used = used
    self.candidates = Self.inTurn(candidates).reversed()
  }

  /// Returns the candidates in the order in which they are removed.
  static func inTurn(_ candidates: [Candidate]) -> [Candidate] {
    candidates.sorted { ($0.isOutdated ? 0 : 1, $0.lastUse) < ($1.isOutdated ? 0 : 1, $1.lastUse) }
  }

  /// Plans the evictions that let a version grow.
  ///
  /// - Returns: the number of bytes to grow by: `bytes`, or less if there is no more room, but at least `needed`; nil
  ///   if not even that is available, in which case nothing is evicted.
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
