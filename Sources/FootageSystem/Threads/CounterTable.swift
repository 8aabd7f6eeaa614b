internal import Synchronization

/// Counters that one thread increments and any thread reads: counting is a load and a store, without a lock.
@safe
package final class CounterTable: @unchecked Sendable {
  // Safe to share because the cells are atomic, and live as long as this object.
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

  /// Adds to a counter. Only the thread that counts may call this.
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
