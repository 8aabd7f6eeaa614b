import Foundation
import LinuxTestSupport
import Testing

@testable import FootageLibrary

@Suite struct DeadlineHeapTests {
  @Test func `the earliest is first, in whatever order they come`() {
    var random = SeededGenerator(seed: 5)
    for count in [0, 1, 2, 3, 50] {
      let times = (0..<count).map { _ in Int64.random(in: 0..<20, using: &random) }
      var heap = DeadlineHeap()
      for (index, time) in times.enumerated() { heap.insert(RelativePath("\(index).mp4"), due: time) }
      #expect(heap.count == count)
      var taken: [Int64] = []
      var paths: Set<String> = []
      while let first = heap.first {
        taken.append(first.due)
        paths.insert("\(first.path)")
        heap.removeFirst()
      }
      #expect(taken == times.sorted() && paths.count == count && heap.count == 0)
    }
  }
}
