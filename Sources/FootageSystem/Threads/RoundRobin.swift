/// What waits for its turn: each turn is the next key's, and elements of one key come in the order in which they were
/// added. A key with many elements delays another key by one element a turn. Pure.
package struct RoundRobin<Key: Hashable, Element> {
  private var queues: [Key: FIFOQueue<Element>] = [:]
  /// The keys that have elements waiting, each once; the first has the next turn.
  private var order: [Key] = []
  /// The number of elements that wait.
  package private(set) var count = 0

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// Adds an element behind the others of its key. A key that had none waits for one turn of each other key.
  package mutating func append(_ element: Element, for key: Key) {
    if queues[key] == nil { order.append(key) }
    queues[key, default: FIFOQueue()].append(element)
    count += 1
  }

  /// Removes the element whose turn it is; its key has the last turn then.
  package mutating func popFirst() -> Element? {
    guard !order.isEmpty else { return nil }
    let key = order.removeFirst()
    // Taken out, so that it is changed in place.
    guard var queue = queues.removeValue(forKey: key), let element = queue.popFirst() else { return nil }
    count -= 1
    if !queue.isEmpty {
      queues[key] = queue
      order.append(key)
    }
    return element
  }

  /// Removes the first element of a key that is meant. O(n) in what waits for that key.
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
