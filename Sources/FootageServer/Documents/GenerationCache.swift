internal import FootageSystem

/// Values of what was published last, each made once however many ask for it at the same time. Belongs to its loop's
/// thread.
final class GenerationCache<Key: Hashable, Value: Sendable> {
  private struct Slot: Hashable {
    let generation: UInt64
    let key: Key
  }

  /// Of `values`.
  private var generation: UInt64 = 0
  private var values: [Key: Value] = [:]
  /// Who else waits for what is being made.
  private var waiting: [Slot: [Suspension<Value>]] = [:]
  private let limit: Int
  /// How many values were made.
  private(set) var madeCount = 0

  /// - Parameter limit: how many values are kept.
  init(limit: Int) { self.limit = limit }

  /// The value of a key, which `make` makes where nobody has yet.
  func value(for key: Key, _ generation: UInt64, make: () async -> Value) async -> Value {
    if generation == self.generation, let value = values[key] { return value }
    let slot = Slot(generation: generation, key: key)
    guard waiting[slot] == nil else { return await Suspension.suspend { waiting[slot]?.append($0) } }
    waiting[slot] = []
    madeCount += 1
    let value = await make()
    keep(value, for: key, generation)
    for suspension in waiting.removeValue(forKey: slot) ?? [] { suspension.resume(returning: value) }
    return value
  }

  /// Takes a value that is known; what is older than those that are there is not kept.
  func keep(_ value: Value, for key: Key, _ generation: UInt64) {
    guard generation >= self.generation else { return }
    if generation > self.generation {
      self.generation = generation
      values = [:]
    }
    guard values.count < limit || values[key] != nil else { return }
    values[key] = value
  }
}
