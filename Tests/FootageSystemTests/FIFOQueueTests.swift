import Testing

@testable import FootageSystem

@Suite struct FIFOQueueTests {
  @Test func `elements come out in the order in which they went in, however it grows and shrinks`() {
    var queue = FIFOQueue<Int>()
    var next = 0
    var expected = 0
    for (added, taken) in [(10, 4), (40, 30), (1, 17), (200, 199), (3, 4), (1000, 990), (0, 10)] {
      for _ in 0..<added {
        queue.append(next)
        next += 1
      }
      for _ in 0..<taken {
        #expect(queue.popFirst() == expected)
        expected += 1
      }
      #expect(queue.count == next - expected)
    }
    #expect(queue.isEmpty && queue.popFirst() == nil)
  }

  @Test func `room that is no longer needed is given back`() {
    var queue = FIFOQueue<Int>()
    for number in 0..<10_000 { queue.append(number) }
    for _ in 0..<9_990 { _ = queue.popFirst() }
    #expect(queue.capacity <= 64)
  }
}
