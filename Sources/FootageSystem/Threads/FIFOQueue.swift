/// A first-in, first-out queue in a ring, which releases the memory and the elements that it no longer needs.
package struct FIFOQueue<Element> {
  private var slots: [Element?] = []
  private var first = 0
  package private(set) var count = 0

  private static var smallest: Int { 16 }

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The number of elements for which there is room.
  var capacity: Int { slots.count }

  package mutating func append(_ element: Element) {
    if count == slots.count { resize(to: max(Self.smallest, count * 2)) }
    slots[(first + count) % slots.count] = element
    count += 1
  }

  /// Removes and returns the oldest element. Its slot keeps nothing of it.
  package mutating func popFirst() -> Element? {
    guard count > 0 else { return nil }
    let element = slots[first].take()
    first = (first + 1) % slots.count
    count -= 1
    if slots.count > Self.smallest, count <= slots.count / 4 { resize(to: slots.count / 2) }
    return element
  }

  private mutating func resize(to capacity: Int) {
    var moved: [Element?] = []
    moved.reserveCapacity(capacity)
    for index in 0..<count { moved.append(slots[(first + index) % slots.count].take()) }
    moved.append(contentsOf: repeatElement(nil, count: capacity - count))
    slots = moved
    first = 0
  }
}

extension FIFOQueue: Sendable where Element: Sendable {}
