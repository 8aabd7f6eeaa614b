import LinuxTestSupport
import Testing

@testable import FootageStore

@Suite struct CacheSlotsTests {
  private func block(_ number: Int) -> CacheSlots.Block { CacheSlots.Block(key: "k", number: number) }

  private func fill(_ slots: inout CacheSlots, _ number: Int) -> Int {
    let slot = slots.takeForWriting()
    slots.fill(slot, with: block(number))
    return slot
  }

  @Test func `the one that was used longest ago makes room`() {
    var slots = CacheSlots(limit: 3)
    for number in 0..<3 { _ = fill(&slots, number) }
    let first = slots.take(block(0))
    #expect(first == 0)
    slots.release(0)
    #expect(fill(&slots, 3) == 1)
    #expect(slots.holds(block(0)) && !slots.holds(block(1)) && slots.holds(block(3)) && slots.count == 3)
  }

  @Test func `what is being read is nobody else's`() {
    var slots = CacheSlots(limit: 1)
    _ = fill(&slots, 0)
    #expect(slots.take(block(0)) == 0)
    // There is one more slot for as long as that lasts.
    #expect(fill(&slots, 1) == 1)
    #expect(slots.holds(block(0)) && slots.holds(block(1)))
    slots.release(0)
    #expect(fill(&slots, 2) == 0 && !slots.holds(block(0)))
  }

  @Test func `two that bring the same leave one`() {
    var slots = CacheSlots(limit: 2)
    let (one, other) = (slots.takeForWriting(), slots.takeForWriting())
    #expect(one != other)
    slots.fill(one, with: block(0))
    slots.fill(other, with: block(0))
    #expect(slots.take(block(0)) == one)
    slots.release(one)
  }

  @Test func `whatever is asked for, a slot holds what it was filled with`() {
    var random = SeededGenerator(seed: TestRun.seed(of: "slots"))
    var slots = CacheSlots(limit: 5)
    var contents: [Int: Int] = [:]
    for _ in 0..<10_000 {
      let number = Int.random(in: 0..<12, using: &random)
      if let slot = slots.take(block(number)) {
        #expect(contents[slot] == number)
        slots.release(slot)
      } else {
        contents[fill(&slots, number)] = number
      }
      #expect(slots.count <= 5)
    }
  }
}
