import TestSupport
import Testing

@testable import FootageSystem

@Suite struct RoundRobinTests {
  /// Returns the order in which these elements come out. Each begins with its key.
  private func order(_ elements: String...) -> String {
    var waiting = RoundRobin<Character, String>()
    for element in elements { waiting.append(element, for: element.first ?? "?") }
    var order: [String] = []
    while let next = waiting.popFirst() { order.append(next) }
    #expect(waiting.isEmpty)
    return order.joined(separator: " ")
  }

  @Test func `keys take turns, and of one key elements come in order`() {
    #expect(order("a1", "a2", "a3", "a4", "b1", "c1", "c2") == "a1 b1 c1 a2 c2 a3 a4")
    #expect(order() == "" && order("a1") == "a1")
  }

  @Test func `a key that comes late waits for one element of each other key`() {
    var waiting = RoundRobin<Int, Int>()
    for number in 0..<64 { waiting.append(number, for: number % 2) }
    var order = [waiting.popFirst()]
    waiting.append(100, for: 2)
    for _ in 0..<3 { order.append(waiting.popFirst()) }
    #expect(order == [0, 1, 2, 100] && waiting.count == 61)
  }

  @Test func `an element that is removed has no turn, and gives none away`() {
    var waiting = RoundRobin<String, Int>()
    for (number, key) in ["a", "b", "a", "c"].enumerated() { waiting.append(number, for: key) }
    let isRemoved = [
      waiting.remove(for: "b") { $0 == 1 }, waiting.remove(for: "b") { $0 == 1 }, waiting.remove(for: "a") { $0 == 3 },
    ]
    #expect(isRemoved == [true, false, false])
    // A key that was removed and comes again has one turn per round.
    waiting.append(5, for: "b")
    waiting.append(6, for: "b")
    var order: [Int?] = []
    for _ in 0..<6 { order.append(waiting.popFirst()) }
    #expect(order == [0, 3, 5, 2, 6, nil])
  }

  /// Compares the queue with a plain list of everything that waits.
  @Test func `whatever comes and goes, nobody has two turns while another waits`() {
    var generator = SeededGenerator(seed: 36)
    var waiting = RoundRobin<Int, Int>()
    var model: [(key: Int, number: Int)] = []
    var lastTurn: [Int: Int] = [:]
    for step in 0..<20_000 {
      let key = Int.random(in: 0..<6, using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0...3:
        waiting.append(step, for: key)
        if !model.contains(where: { $0.key == key }) { lastTurn[key] = step }
        model.append((key, step))
      case 4:
        let index = model.firstIndex { $0.key == key }
        let isRemoved = waiting.remove(for: key) { _ in true }
        #expect(isRemoved == (index != nil))
        if let index { model.remove(at: index) }
      default:
        let next = waiting.popFirst()
        // The key whose last turn, or whose arrival, was longest ago.
        let keys = Set(model.map(\.key))
        let turn = keys.min { lastTurn[$0, default: 0] < lastTurn[$1, default: 0] }
        let index = model.firstIndex { $0.key == turn }
        #expect(next == index.map { model[$0].number })
        if let index, let turn {
          model.remove(at: index)
          lastTurn[turn] = step
        }
      }
      #expect(waiting.count == model.count)
    }
  }
}
