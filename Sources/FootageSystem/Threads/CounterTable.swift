internal import Synchronization

/// Numbers that one thread counts up and any thread reads: a count is a load and a store, and no lock.
@safe
package final class CounterTable: @unchecked Sendable {
  // Safe to share because the cells are atomic, and live as long as this.
  private let cells: UnsafeMutablePointer<Atomic<UInt64>>
  package let count: Int

  package init(count: Int) {
    self.count = count
    unsafe cells = .allocate(capacity: count)
    for index in 0..<count { unsafe (cells + index).initialize(to: Atomic(0)) }
  }

  deinit {
    unsafe cells.deinitialize(count: count)
    unsafe cells.deallocate()
  }

  /// To be called by the thread alone that counts.
  package func add(_ number: UInt64 = 1, at index: Int) {
    precondition(index >= 0 && index < count, "there is no such counter")
    // Safe because the index is within the table.
    unsafe cells[index].store(cells[index].load(ordering: .relaxed) &+ number, ordering: .relaxed)
  }

  package subscript(index: Int) -> UInt64 {
    precondition(index >= 0 && index < count, "there is no such counter")
    // Safe because the index is within the table.
    return unsafe cells[index].load(ordering: .relaxed)
  }
}
