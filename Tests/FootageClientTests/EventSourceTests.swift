/// Events reach every listener, and none is lost before there is one.
import LinuxTestSupport
import Testing

@testable import FootageCore

@Suite struct EventSourceTests {
  @Test func `the first who listens hears what nobody has heard, and later ones what is new`() async {
    let source = EventSource<Int>()
    source.send(1)
    source.send(2)
    var first = source.events().makeAsyncIterator()
    var second = source.events().makeAsyncIterator()
    source.send(3)
    var heard: [Int?] = []
    for _ in 0..<3 { heard.append(await first.next()) }
    #expect(heard == [1, 2, 3])
    #expect(await second.next() == 3)
  }

  @Test func `of what nobody hears the latest waits`() async {
    let source = EventSource<Int>()
    for number in 0..<1000 { source.send(number) }
    let heard = EventLog<Int>()
    source.onEvent { heard.append($0) }
    source.send(1000)
    #expect(heard.all == Array((1000 - EventSource<Int>.limit)...1000))
  }

  @Test func `streams end with their source`() async throws {
    var source: EventSource<Int>? = EventSource()
    let events = try #require(source?.events())
    source?.send(7)
    source = nil
    var heard: [Int] = []
    for await event in events { heard.append(event) }
    #expect(heard == [7])
  }

  @Test func `a cache tells who listens later what happened when it was opened`() async throws {
    let folder = try TemporaryFolder()
    let first = try MediaCache(at: folder.path("cache"), quota: .megabytes(1))
    let second = try MediaCache(at: folder.path("cache"), quota: .megabytes(1))
    var events = second.events().makeAsyncIterator()
    let warning = try #require(await events.next())
    #expect(warning.description.contains("in use by another process"))
    await first.close()
  }
}
