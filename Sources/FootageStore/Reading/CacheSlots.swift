/// The assignment of mebibytes to slots of the cache's file. It does no input or output.
///
/// A slot that is being read or written is not reused until that is over. Among the other slots, the one that was used
/// longest ago is reused for a new block.
struct CacheSlots {
  /// A mebibyte of an object.
  struct Block: Hashable {
    let key: String
    /// The number of the mebibyte, counted from 0.
    let number: Int
  }

  private struct Slot {
    var block: Block?
    var lastUse: UInt64 = 0
    var users = 0
  }

  /// The number of slots above which none is added: new blocks then reuse slots. If all slots are being read or
  /// written, one is added nevertheless.
  let limit: Int
  private var slots: [Slot] = []
  private var places: [Block: Int] = [:]
  private var uses: UInt64 = 0

  init(limit: Int) { self.limit = max(1, limit) }

  /// The number of slots in the file.
  var count: Int { slots.count }

  func holds(_ block: Block) -> Bool { places[block] != nil }

  /// Returns the slot of a cached block, which may be read until `release`; nil if the block is not cached.
  mutating func take(_ block: Block) -> Int? {
    guard let slot = places[block] else { return nil }
    uses += 1
    slots[slot].lastUse = uses
    slots[slot].users += 1
    return slot
  }

  /// Returns a slot that may be written until `fill` or `release`.
  mutating func takeForWriting() -> Int {
    uses += 1
    var best: Int?
    if slots.count >= limit {
      for (index, slot) in slots.enumerated()
      where slot.users == 0 && slot.lastUse < best.map({ slots[$0].lastUse }) ?? .max {
        best = index
      }
    }
    guard let best else {
      slots.append(Slot(lastUse: uses, users: 1))
      return slots.count - 1
    }
    if let old = slots[best].block { places[old] = nil }
    slots[best] = Slot(lastUse: uses, users: 1)
    return best
  }

  /// Records that the written slot holds this block, which can be read from now on.
  mutating func fill(_ slot: Int, with block: Block) {
    slots[slot].users -= 1
    guard places[block] == nil else { return }
    slots[slot].block = block
    places[block] = slot
  }

  mutating func release(_ slot: Int) { slots[slot].users -= 1 }
}
