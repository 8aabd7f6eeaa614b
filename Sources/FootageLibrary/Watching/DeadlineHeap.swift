/// The times of scheduled examinations of files, earliest first.

/// The times of scheduled examinations of files, in a binary heap: inserting one and removing the first cost O(log n).
struct DeadlineHeap {
  struct Appointment {
    let due: Int64
    let path: RelativePath
  }

  private var heap: [Appointment] = []

  var count: Int { heap.count }

  var first: Appointment? { heap.first }

  mutating func insert(_ path: RelativePath, due: Int64) {
    heap.append(Appointment(due: due, path: path))
    var index = heap.count - 1
    while index > 0, heap[index].due < heap[(index - 1) / 2].due {
      heap.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let last = heap.popLast(), !heap.isEmpty else { return }
    heap[0] = last
    var index = 0
    while true {
      var least = index
      for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child].due < heap[least].due {
        least = child
      }
      guard least != index else { return }
      heap.swapAt(index, least)
      index = least
    }
  }
}
