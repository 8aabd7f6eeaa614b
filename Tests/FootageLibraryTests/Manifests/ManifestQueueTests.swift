import Testing

@testable import FootageLibrary

@Suite struct ManifestQueueTests {
  /// A reference type, so that expressions that change the queue can be used in expectations.
  private final class Held {
    private var queue = ManifestQueue()

    var isEmpty: Bool { queue.isEmpty }
    func want(_ key: ManifestQueue.Key, name: String, _ urgency: ManifestUrgency, by asker: Int? = nil) -> Bool {
      queue.want(key, name: name, urgency, by: asker)
    }
    func failure(of key: ManifestQueue.Key, now: Int64) -> LibraryError? { queue.failure(of: key, now: now) }
    func next(now: Int64) -> (key: ManifestQueue.Key, name: String)? { queue.next(now: now) }
    func noteMade(_ key: ManifestQueue.Key) { queue.noteMade(key) }
    func notePostponed(_ key: ManifestQueue.Key, _ error: LibraryError, now: Int64) -> Bool {
      queue.notePostponed(key, error, now: now)
    }
  }

  private func key(_ name: String, _ tag: String = "t") -> ManifestQueue.Key { .init(tag: tag, name: name) }

  @Test func `what is most urgent comes first, and of that what was wanted first`() {
    let queue = Held()
    for (name, urgency) in [
      ("a", .background), ("b", .viewer), ("c", .offload), ("d", .viewer), ("e", .offload), ("f", .background),
    ] as [(String, ManifestUrgency)] {
      #expect(queue.want(key(name), name: name, urgency))
    }
    var order = ""
    while let next = queue.next(now: 0) {
      order += next.name
      queue.noteMade(next.key)
    }
    #expect(order == "cebdaf")
    #expect(queue.isEmpty)
  }

  @Test func `one that is wanted again becomes as urgent as that, and never less`() {
    let queue = Held()
    #expect(queue.want(key("a"), name: "a", .viewer))
    #expect(queue.want(key("b"), name: "b", .background))
    #expect(queue.want(key("b"), name: "b", .offload))
    #expect(queue.want(key("b"), name: "b", .background))
    #expect(queue.next(now: 0)?.name == "b")
  }

  @Test func `one of another version, or of another spelling, is another one`() {
    let queue = Held()
    #expect(queue.want(key("a", "1"), name: "a", .viewer))
    #expect(queue.want(key("a", "2"), name: "a", .viewer))
    // The same letter as one code point and as two.
    #expect(queue.want(key("\u{E9}"), name: "\u{E9}", .viewer))
    #expect(queue.want(key("e\u{301}"), name: "e\u{301}", .viewer))
    var count = 0
    while let next = queue.next(now: 0) {
      count += 1
      queue.noteMade(next.key)
    }
    #expect(count == 4)
  }

  @Test func `what has just changed is tried again after a pause, and not for ever`() {
    let queue = Held()
    let (key, error) = (key("a"), LibraryError.changed(name: "a"))
    _ = queue.want(key, name: "a", .viewer)
    var now: Int64 = 0
    for _ in 0..<LibraryLimits.manifestAttempts {
      #expect(queue.notePostponed(key, error, now: now))
      #expect(queue.next(now: now) == nil && !queue.isEmpty)
      now += LibraryLimits.manifestPauseNanoseconds
      #expect(queue.next(now: now)?.name == "a")
    }
    #expect(!queue.notePostponed(key, error, now: now))
    #expect(queue.isEmpty)
    #expect(queue.failure(of: key, now: now) == error)
    #expect(queue.failure(of: key, now: now + LibraryLimits.retryNanoseconds) == nil)
  }

  /// Takes everything that is wanted and returns it in its order.
  private func order(_ queue: Held) -> [String] {
    var order: [String] = []
    while let next = queue.next(now: 0) {
      order.append(next.name)
      queue.noteMade(next.key)
    }
    return order
  }

  @Test func `of what viewers want, turns go round the viewers`() {
    let queue = Held()
    for number in 1...4 { #expect(queue.want(key("a\(number)"), name: "a\(number)", .viewer, by: 1)) }
    for number in 1...2 { #expect(queue.want(key("b\(number)"), name: "b\(number)", .viewer, by: 2)) }
    #expect(queue.want(key("s"), name: "s", .offload))
    // The third viewer also wants the first viewer's last recording, and gets it in its own turn.
    #expect(queue.want(key("a4"), name: "a4", .viewer, by: 3))
    #expect(order(queue) == ["s", "a1", "a4", "b1", "a2", "b2", "a3"])
    // A viewer that comes later has not missed any turns.
    for number in 1...3 { #expect(queue.want(key("c\(number)"), name: "c\(number)", .viewer, by: 4)) }
    #expect(queue.want(key("d"), name: "d", .viewer, by: 5))
    #expect(order(queue) == ["c1", "d", "c2", "c3"])
  }

  @Test func `a viewer wants so many, and others theirs`() {
    let queue = Held()
    for number in 0..<LibraryLimits.wantedManifestsOfViewer {
      #expect(queue.want(key("\(number)"), name: "\(number)", .viewer, by: 1))
    }
    #expect(!queue.want(key("x"), name: "x", .viewer, by: 1))
    #expect(queue.want(key("0"), name: "0", .viewer, by: 1), "it is wanted already")
    #expect(queue.want(key("x"), name: "x", .viewer, by: 2))
    #expect(queue.want(key("y"), name: "y", .background))
    queue.noteMade(key("7"))
    #expect(queue.want(key("z"), name: "z", .viewer, by: 1))
    #expect(!queue.want(key("w"), name: "w", .viewer, by: 1))
  }

  @Test func `as many are wanted as may be, but for a store`() {
    let queue = Held()
    for number in 0..<LibraryLimits.wantedManifests {
      #expect(queue.want(key("\(number)"), name: "\(number)", .viewer))
    }
    #expect(!queue.want(key("x"), name: "x", .viewer))
    #expect(queue.want(key("7"), name: "7", .viewer))
    #expect(queue.want(key("x"), name: "x", .offload))
    #expect(queue.next(now: 0)?.name == "x")
  }
}
