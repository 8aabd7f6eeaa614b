@testable import FootageServing
import FootageSystem
import Testing

@Suite struct ConnectionTableTests {
  private let start = Deadline(milliseconds: 1_000_000)

  private func after(_ milliseconds: UInt64) -> Deadline { Deadline(milliseconds: 1_000_000 + milliseconds) }

  private static func viewer(_ number: UInt8, port: UInt16 = 1) -> SocketAddress {
    SocketAddress(addressBytes: [192, 0, 2, number], port: port)
  }

  private func outcome(_ arrival: ConnectionTable<Int>.Arrival) -> String {
    switch arrival {
    case .admitted(let loop): "admitted to \(loop)"
    case .held: "held"
    case .refused(let refusal): "refused: \(refusal)"
    }
  }

  @Test func `the loop with the fewest gets the next one`() {
    var table = ConnectionTable<Int>(limit: 100, perAddress: .none, loops: 3)
    let loops = (0..<6).map { outcome(table.arrive($0, from: Self.viewer(1), at: start)) }
    #expect(loops == [0, 1, 2, 0, 1, 2].map { "admitted to \($0)" })
    #expect(table.leave(Self.viewer(1), loop: 1) == nil)
    #expect(outcome(table.arrive(9, from: Self.viewer(1), at: start)) == "admitted to 1")
    #expect(table.count == 6)
  }

  @Test func `who comes to a full table waits in turn, and gets the place of whoever leaves, on that loop`() {
    var table = ConnectionTable<Int>(limit: 16, perAddress: .none, loops: 2)
    for number in 0..<16 { _ = table.arrive(number, from: Self.viewer(1), at: start) }
    let late = (100..<103).map { outcome(table.arrive($0, from: Self.viewer(2), at: start)) }
    // An eighth of the table may wait.
    #expect(late == ["held", "held", "refused: there are already 16 connections"])
    #expect(table.longestHeld(at: after(700)) == .milliseconds(700))
    let next = table.leave(Self.viewer(1), loop: 1)
    #expect(next?.newcomer == 100 && next?.loop == 1)
    #expect(table.count == 16 && table.heldCount == 1)
    // A newcomer does not overtake those who wait.
    _ = table.leave(Self.viewer(1), loop: 0)
    #expect(table.heldCount == 0)
    #expect(table.leave(Self.viewer(1), loop: 0) == nil)
    #expect(outcome(table.arrive(7, from: Self.viewer(3), at: start)) == "admitted to 0")
  }

  @Test func `where as many wait as may, nobody more is to be accepted until one of them has a place`() {
    var table = ConnectionTable<Int>(limit: 16, perAddress: .none, loops: 1)
    for number in 0..<17 { _ = table.arrive(number, from: Self.viewer(1), at: start) }
    #expect(!table.isFull)
    _ = table.arrive(17, from: Self.viewer(1), at: start)
    #expect(table.isFull)
    _ = table.leave(Self.viewer(1), loop: 0)
    #expect(!table.isFull && table.heldCount == 1)
  }

  @Test func `who has waited too long is turned away, the first first`() {
    var table = ConnectionTable<Int>(limit: 16, perAddress: .count(1_000), loops: 1)
    for number in 0..<16 { _ = table.arrive(number, from: Self.viewer(1), at: start) }
    _ = table.arrive(100, from: Self.viewer(2), at: after(0))
    _ = table.arrive(101, from: Self.viewer(2), at: after(500))
    #expect(table.takeHeld(for: .seconds(1), at: after(900)) == [])
    #expect(table.takeHeld(for: .seconds(1), at: after(1_000)) == [100])
    #expect(table.heldCount == 1)
    #expect(table.takeHeld(for: .zero, at: after(1_000)) == [101])
  }

  /// Returns the largest number of a hundred connections that are admitted.
  private func share(_ limit: AddressLimit, _ peers: (Int) -> SocketAddress) -> Int {
    var table = ConnectionTable<Int>(limit: 100, perAddress: limit, loops: 1)
    for number in 0..<100 { _ = table.arrive(number, from: peers(number), at: start) }
    return table.count
  }

  @Test func `an address has a quarter of the table, whatever its ports`() {
    #expect(share(.quarter) { Self.viewer(1, port: UInt16($0)) } == 25)
    #expect(share(.quarter) { Self.viewer(UInt8($0 % 2)) } == 50)
    #expect(share(.none) { _ in Self.viewer(1) } == 100)
    #expect(share(.count(7)) { _ in Self.viewer(1) } == 7)
  }

  @Test func `this machine is not limited, but where a number is given`() {
    let own = [SocketAddress(addressBytes: [127, 0, 0, 1], port: 1)]
    let ownOfIPv6 = SocketAddress(addressBytes: Array(repeating: 0, count: 15) + [1], port: 1)
    #expect(share(.quarter) { _ in own[0] } == 100)
    #expect(share(.quarter) { _ in ownOfIPv6 } == 100)
    #expect(share(.count(3)) { _ in own[0] } == 3)
  }

  @Test func `a network of IPv6 is one address, and the next one another`() {
    func address(_ network: UInt8, _ host: Int) -> SocketAddress {
      SocketAddress(
        addressBytes: [0x20, 1, 0xD, 0xB8, 0, 0, 0, network] + Array(repeating: 0, count: 7) + [UInt8(host)], port: 1)
    }
    #expect(share(.quarter) { address(1, $0) } == 25)
    #expect(share(.quarter) { address(UInt8($0 % 4), $0) } == 100)
  }

  @Test func `places that an address gives back are its own again`() {
    var table = ConnectionTable<Int>(limit: 100, perAddress: .count(2), loops: 1)
    for number in 0..<2 { _ = table.arrive(number, from: Self.viewer(1), at: start) }
    #expect(
      outcome(table.arrive(2, from: Self.viewer(1), at: start))
        == "refused: there are already 2 connections from this address")
    _ = table.leave(Self.viewer(1), loop: 0)
    #expect(outcome(table.arrive(3, from: Self.viewer(1), at: start)) == "admitted to 0")
  }
}

@Suite struct RoomTests {
  private final class Connection {}

  private let now = Deadline(milliseconds: 1_000_000)
  private let connections = (0..<10).map { _ in Connection() }

  private func ago(_ milliseconds: UInt64) -> Deadline { Deadline(milliseconds: 1_000_000 - milliseconds) }

  /// Returns the numbers of the connections that are given up.
  private func chosen(
    _ activities: [ConnectionActivity], places: Int = 1, longestHeld: Duration = .zero
  ) -> [Int] {
    let candidates = activities.enumerated().map { number, activity in
      RoomCandidate(
        loop: number, connection: ObjectIdentifier(connections[number]),
        peer: SocketAddress(addressBytes: [192, 0, 2, 1], port: 1), activity: activity)
    }
    return RoomCandidate.chosen(
      from: candidates, places: places, longestHeld: longestHeld, at: now, RoomLimits()
    ).map(\.loop)
  }

  @Test func `the order is old handshakes, idle connections, fresh handshakes, and readers who do not read`() {
    let all: [ConnectionActivity] = [
      .busy, .stalled(since: ago(20_000)), .handshaking(since: ago(100)), .handshaking(since: ago(1_999)),
      .waiting(since: ago(1_000)), .waiting(since: ago(60_000)), .handshaking(since: ago(2_000)),
      .handshaking(since: ago(9_000)), .waiting(since: ago(999)), .stalled(since: ago(30_000)),
    ]
    #expect(chosen(all, places: 10, longestHeld: .seconds(1)) == [7, 6, 5, 4, 3, 2, 9, 1])
    #expect(chosen(all, places: 3) == [7, 6, 5])
  }

  @Test func `a fresh handshake has a second to end before it goes, and nobody goes in its place`() {
    #expect(chosen([.handshaking(since: ago(500)), .stalled(since: ago(20_000))]) == [])
    #expect(chosen([.handshaking(since: ago(500)), .stalled(since: ago(20_000))], longestHeld: .seconds(1)) == [0])
  }

  @Test func `who is busy, or has just begun to wait, stays`() {
    #expect(
      chosen([.busy, .waiting(since: ago(500)), .waiting(since: now)], places: 3, longestHeld: .seconds(9)) == [])
  }

  /// Returns the times since which a peer counts as slow, if it takes these numbers of bytes between checks.
  private func slowSince(_ counts: [UInt64], each milliseconds: UInt64) -> [Deadline?] {
    var total: UInt64 = 0
    var time = now
    var rate = ReadingRate(0, at: now)
    return counts.map { count in
      total += count
      time = Deadline(milliseconds: time.milliseconds + milliseconds)
      return rate.look(total, at: time, RoomLimits())
    }
  }

  @Test func `whoever takes less than 4 kB a second for ten seconds is too slow`() {
    #expect(slowSince(Array(repeating: 0, count: 10), each: 1_000) == Array(repeating: nil, count: 9) + [now])
    #expect(slowSince(Array(repeating: 4_095, count: 10), each: 1_000).last == now)
    #expect(slowSince(Array(repeating: 4_096, count: 40), each: 1_000).allSatisfy { $0 == nil })
    // All bytes in one piece count the same, because kernels hand bytes out in pieces.
    #expect(slowSince([40_960] + Array(repeating: 0, count: 9), each: 1_000).allSatisfy { $0 == nil })
    #expect(slowSince([40_960] + Array(repeating: 0, count: 19), each: 1_000).last != .some(nil))
  }

  @Test func `what was not looked at for long is not held against anybody`() {
    #expect(slowSince(Array(repeating: 0, count: 10), each: 4_000).allSatisfy { $0 == nil })
  }
}
