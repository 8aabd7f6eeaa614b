/// Elements that wait for their turn. The keys take turns, and the elements of one key come in the order in which they
/// were added. A key with many elements delays another key by one element per turn. It has no side effects.
package struct RoundRobin<Key: Hashable, Element> {
  private var queues: [Key: FIFOQueue<Element>] = [:]
  /// The keys that have elements waiting, each once; the first has the next turn.
  private var order: [Key] = []
  /// The number of waiting elements.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Adds an element after the others of its key. A key that had no element waits until every other key has had one
  /// turn.
  package mutating func append(_ element: Element, for key: Key) {
    if queues[key] == nil { order.append(key) }
    queues[key, default: FIFOQueue()].append(element)
    count += 1
  }

  /// Removes and returns the element whose turn it is. The element's key then gets the last turn.
  package mutating func popFirst() -> Element? {
    guard !order.isEmpty else { return nil }
    let key = order.removeFirst()
    // Removed from the dictionary, so that it is changed in place.
    guard var queue = queues.removeValue(forKey: key), let element = queue.popFirst() else { return nil }
    count -= 1
    if !queue.isEmpty {
      queues[key] = queue
      order.append(key)
    }
    return element
  }

  /// Removes the first element of a key for which `isMeant` returns true. Takes O(n) for n waiting elements of that
  /// key.
  ///
  /// - Returns: false if there is none.
  package mutating func remove(for key: Key, where isMeant: (Element) -> Bool) -> Bool {
    guard var queue = queues.removeValue(forKey: key) else { return false }
    var others = FIFOQueue<Element>()
    var isRemoved = false
    while let element = queue.popFirst() {
      if !isRemoved, isMeant(element) { isRemoved = true } else { others.append(element) }
    }
    if isRemoved { count -= 1 }
    if others.isEmpty { order.removeAll { $0 == key } } else { queues[key] = others }
    return isRemoved
  }
}

extension RoundRobin: Sendable where Key: Sendable, Element: Sendable {}
