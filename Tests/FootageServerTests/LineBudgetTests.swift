import FootageServing
import FootageSystem
import Testing

@testable import FootageServer

@Suite struct LineBudgetTests {
  private let one = SocketAddress(addressBytes: [192, 0, 2, 1], port: 1)

  private func admitted(_ budget: inout LineBudget, _ peer: SocketAddress?, _ count: Int, in second: Int64) -> Int {
    var admitted = 0
    for _ in 0..<count where budget.admits(peer, in: second) { admitted += 1 }
    return admitted
  }

  @Test func `an address has its share of the second, whatever its port, and the next second begins anew`() {
    var budget = LineBudget(shares: 2)
    #expect(admitted(&budget, one, 1_000, in: 1) == 100)
    #expect(admitted(&budget, SocketAddress(addressBytes: [192, 0, 2, 1], port: 2), 1, in: 1) == 0)
    #expect(admitted(&budget, SocketAddress(addressBytes: [192, 0, 2, 2], port: 1), 1, in: 1) == 1)
    #expect(admitted(&budget, one, 1_000, in: 2) == 100)
  }

  @Test func `all together have theirs`() {
    var budget = LineBudget(shares: 1)
    var count = 0
    for number in 0..<250 {
      count += admitted(&budget, SocketAddress(addressBytes: [10, 0, 0, UInt8(number)], port: 1), 100, in: 1)
    }
    #expect(count == 1_000)
    #expect(admitted(&budget, nil, 1, in: 1) == 0)
    #expect(admitted(&budget, nil, 1, in: 2) == 1)
  }

  @Test func `what is left out is counted, and said when the second is over`() {
    var budget = LineBudget(shares: 1)
    _ = admitted(&budget, one, 500, in: 7)
    let said = [7, 8, 9].map { budget.takeSuppressed(in: $0) }
    #expect(said == [nil, 300, nil])
  }
}
