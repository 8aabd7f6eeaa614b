import HTTPTransport
import Testing

@testable import FootageServer

@MainActor
@Suite struct ViewQueueTests {
  @Test func `a viewer has sixteen unfinished views, and all have as many as there may be`() throws {
    let queue = try ViewQueue(limit: 20)
    var places = (0..<16).compactMap { _ in queue.place(for: .thisMachine) }
    #expect(places.count == 16 && queue.place(for: .thisMachine) == nil)
    places += (0..<5).compactMap { _ in queue.place(for: .certificate("a")) }
    #expect(places.count == 20 && queue.unfinishedCount == 20)
    places.removeFirst()
    #expect(queue.unfinishedCount == 19 && queue.place(for: .thisMachine) != nil)
    places = []
    #expect(queue.unfinishedCount == 0)
    queue.stop()
  }

  /// Takes a turn, and notes whose it was.
  private func take(
    _ name: Int, _ turns: ViewTurns, _ order: Order, over connection: HeldRequest
  ) -> Task<Bool, Never> {
    Task {
      guard await turns.take(over: connection) else { return false }
      order.names.append(name)
      return true
    }
  }

  private final class Order { var names: [Int] = [] }

  @Test func `turns come in order, and none to a client that has gone`() async {
    let turns = ViewTurns()
    let order = Order()
    let connections = (0..<5).map { _ in HeldRequest() }
    #expect(await take(0, turns, order, over: connections[0]).value)
    var waiting: [Task<Bool, Never>] = []
    for number in 1..<5 {
      waiting.append(take(number, turns, order, over: connections[number]))
      await connections[number].waitUntilHeld()
    }
    #expect(connections[0].holdCount == 0)
    // The second one leaves while it waits.
    connections[2].expire()
    #expect(await !waiting[1].value)
    // Nobody gets a turn by that: it was not its to give, and the first one still has it.
    for _ in 0..<20 { await Task.yield() }
    #expect(order.names == [0])
    #expect(connections.map(\.isHeld) == [false, true, false, true, true])
    for number in [1, 3, 4] {
      turns.leave()
      #expect(await waiting[number - 1].value)
    }
    #expect(order.names == [0, 1, 3, 4])
    turns.leave()
    #expect(await take(5, turns, order, over: HeldRequest()).value, "it is free again")
  }
}
