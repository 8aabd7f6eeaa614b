/// What is handed on to somebody who awaits.
import TestSupport
import Testing

@testable import FootageCore

@Suite(.timeLimit(.minutes(1))) struct NewestValueTests {
  @Test func `values come in order, and of those that wait the newest alone`() async throws {
    let taken = EventLog<Int>()
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let news = NewestValue<Int> { value in
      taken.append(value)
      if value == 0 { for await _ in ends { break } }
    }
    news.send(0)
    try await eventually("the first") { () async -> Bool in taken.all == [0] }
    for value in 1...100 { news.send(value) }
    end.yield()
    try await eventually("the last") { () async -> Bool in taken.all == [0, 100] }
    news.send(101)
    try await eventually("another one") { () async -> Bool in taken.all == [0, 100, 101] }
  }
}
