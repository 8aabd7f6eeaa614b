#if !canImport(Darwin)
import Foundation
import FootageSystem
import Testing

@Suite struct PollerTests {
  private let ends: [Int32]

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
    self.ends = ends
  }

  private func news(_ poller: borrowing Poller, _ milliseconds: Int32 = 0) -> [UInt64: UInt8] {
    Dictionary(poller.wait(milliseconds: milliseconds).map { ($0.token, $0.news.rawValue) }) { $0 | $1 }
  }

  @Test func `news is told once, with the token of its descriptor`() throws {
    let poller = try Poller(capacity: 8)
    try poller.add(ends[0], token: 7)
    #expect(news(poller) == [7: Poller.News.writable.rawValue])
    #expect(news(poller).isEmpty)
    #expect(write(ends[1], "x", 1) == 1)
    #expect(news(poller)[7].map { $0 & Poller.News.readable.rawValue } == Poller.News.readable.rawValue)
    #expect(news(poller).isEmpty)
    #expect(write(ends[1], "x", 1) == 1)
    poller.remove(ends[0])
    #expect(news(poller).isEmpty)
    for end in ends { close(end) }
  }

  @Test func `the peer's end is told together with its last bytes`() throws {
    let poller = try Poller(capacity: 8)
    try poller.add(ends[0], token: 7)
    #expect(write(ends[1], "x", 1) == 1)
    #expect(shutdown(ends[1], Int32(SHUT_WR)) == 0)
    let told = Poller.News(rawValue: news(poller)[7] ?? 0)
    #expect(told.isSuperset(of: [.readable, .peerEnded]))
    for end in ends { close(end) }
  }

  @Test func `a wake-up ends the wait, also one from before, and is no news`() throws {
    let poller = try Poller(capacity: 8)
    poller.wake()
    #expect(news(poller, -1).isEmpty)
    for end in ends { close(end) }
  }
}
#endif
