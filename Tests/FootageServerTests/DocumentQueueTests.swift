import FootageAnswers
import FootageHTTP
import FootageServing
import FootageSystem
import Synchronization
import TestSupport
import Testing

@testable import FootageServer

/// Lists and timelines for many viewers, which a few threads make. When a test keeps all threads busy, further requests
/// wait.
@Suite struct DocumentQueueTests {
  private let queue: DocumentQueue

  init() throws { queue = try DocumentQueue() }

  private func question(_ name: String, generation: UInt64 = 1) -> DocumentQueue.Question {
    DocumentQueue.Question(target: Array(name.utf8), access: .everything, generation: generation)
  }

  private func bytes(_ answer: DocumentQueue.Answer) -> String {
    switch answer {
    case .document(let document): String(decoding: document.bytes, as: UTF8.self)
    case .nothing: "nothing"
    case .busy: "busy"
    }
  }

  /// A gate that blocks all threads until it is opened.
  private final class Gate: Sendable {
    private let semaphore = Semaphore()
    private let inside = Atomic<Int>(0)
    private static let threads = 2

    init(_ queue: DocumentQueue) async throws {
      for _ in 0..<Self.threads {
        Task { [self] in
          await queue.run(for: .certificate("gate")) {
            self.inside.add(1, ordering: .relaxed)
            self.semaphore.wait()
          }
        }
      }
      try await eventually("all threads to be busy") { () async -> Bool in
        inside.load(ordering: .relaxed) == Self.threads
      }
    }

    func open() { for _ in 0..<Self.threads { semaphore.signal() } }
  }

  @Test func `equal questions that wait together are answered once, whoever asks`() async throws {
    defer { queue.stop() }
    let gate = try await Gate(queue)
    let made = EventLog<String>()
    let answers = (0..<12).map { number in
      let name = number < 8 ? "front" : "rear"
      return Task {
        await queue.answer(question(name), for: .certificate("\(number % 4)")) {
          made.append(name)
          return Array(name.utf8)
        }
      }
    }
    try await eventually("all to wait") { () async -> Bool in queue.waitingCount == 12 }
    gate.open()
    for (number, answer) in answers.enumerated() {
      #expect(bytes(await answer.value) == (number < 8 ? "front" : "rear"))
    }
    #expect(made.all.sorted() == ["front", "rear"])
    // A later request is made again.
    #expect(bytes(await queue.answer(question("front"), for: .thisMachine) { Array("later".utf8) }) == "later")
    #expect(queue.viewerCount == 0 && queue.waitingCount == 0)
  }

  @Test func `a viewer with many questions delays another one by a question`() async throws {
    defer { queue.stop() }
    let gate = try await Gate(queue)
    let order = EventLog<String>()
    func ask(_ name: String, of viewer: String) -> Task<DocumentQueue.Answer, Never> {
      Task {
        await queue.answer(question(name), for: .certificate(viewer)) {
          order.append(name)
          return []
        }
      }
    }
    var answers: [Task<DocumentQueue.Answer, Never>] = []
    for number in 0..<16 {
      answers.append(ask("alice \(number)", of: "alice"))
      try await eventually("it to wait") { () async -> Bool in queue.waitingCount == number + 1 }
    }
    // Alice's last question is Bob's as well, and is answered in Bob's turn.
    answers.append(ask("alice 15", of: "bob"))
    try await eventually("it to wait") { () async -> Bool in queue.waitingCount == 17 }
    gate.open()
    for answer in answers { _ = await answer.value }
    let place = try #require(order.all.firstIndex(of: "alice 15"))
    // Two threads record their results in either order.
    #expect(place <= 3 && order.all.count == 16, "\(order.all)")
  }

  @Test func `a viewer has so many questions waiting, and others have theirs`() async throws {
    defer { queue.stop() }
    let gate = try await Gate(queue)
    let most = DocumentQueue.placesOfViewer
    let answers = (0..<most).map { number in
      Task { await queue.answer(question("\(number)"), for: .certificate("alice")) { [] } }
    }
    try await eventually("all to wait") { () async -> Bool in queue.waitingCount == most }
    #expect(bytes(await queue.answer(question("x"), for: .certificate("alice")) { [] }) == "busy")
    let other = Task { await queue.answer(question("x"), for: .certificate("bob")) { Array("here".utf8) } }
    try await eventually("another one to wait") { () async -> Bool in queue.waitingCount == most + 1 }
    // A request that has waited for a change has its place because of that.
    let placed = Task {
      await queue.answer(question("y"), for: .certificate("alice"), hasPlace: true) { Array("news".utf8) }
    }
    gate.open()
    for answer in answers { #expect(bytes(await answer.value) == "") }
    #expect(bytes(await other.value) == "here")
    #expect(bytes(await placed.value) == "news")
  }

  @Test func `what cannot be made is nothing, for all who ask`() async throws {
    defer { queue.stop() }
    #expect(bytes(await queue.answer(question("x"), for: .thisMachine) { nil }) == "nothing")
    #expect(await queue.tag(question("x"), for: .thisMachine) { nil } == nil)
    #expect(bytes(await queue.answer(question("x"), for: .thisMachine) { Array("x".utf8) }) == "x")
  }

  @Test func `a tag is kept for its generation, and made again in the next`() async throws {
    defer { queue.stop() }
    let first = await queue.tag(question("x"), for: .thisMachine) { [1] }
    #expect(first != nil && queue.comparisonCount == 1)
    #expect(await queue.tag(question("x"), for: .certificate("a")) { [2] } == first)
    #expect(queue.comparisonCount == 1)
    // An answer that was made before counts, too.
    _ = await queue.answer(question("y"), for: .thisMachine) { [3] }
    _ = await queue.tag(question("y"), for: .thisMachine) { [3] }
    #expect(queue.comparisonCount == 1)
    #expect(await queue.tag(question("x", generation: 2), for: .thisMachine) { [2] } != first)
    #expect(queue.comparisonCount == 2)
    // A late answer for an older generation is not kept.
    _ = await queue.tag(question("x"), for: .thisMachine) { [1] }
    _ = await queue.tag(question("x", generation: 2), for: .thisMachine) { [9] }
    #expect(queue.comparisonCount == 3)
  }

  @Test func `what somebody asks for is not made to compare, whoever's turn it is made in`() async throws {
    defer { queue.stop() }
    let gate = try await Gate(queue)
    let asked = (0..<2).map { number in
      Task { await queue.tag(question("x"), for: .certificate("\(number)")) { [1] } }
    }
    try await eventually("both to wait") { () async -> Bool in queue.waitingCount == 2 }
    let answers = ["0", "1"].map { viewer in
      Task { await queue.answer(question("y"), for: .certificate(viewer)) { [2] } }
    }
    try await eventually("all to wait") { () async -> Bool in queue.waitingCount == 4 }
    // This request has the first turn for the question y, because the others have their turns for y after those for x.
    let joined = Task { await queue.tag(question("y"), for: .certificate("2")) { [2] } }
    try await eventually("all to wait") { () async -> Bool in queue.waitingCount == 5 }
    gate.open()
    for answer in answers { #expect(bytes(await answer.value) == "\u{2}") }
    for tag in asked { #expect(await tag.value != nil) }
    #expect(await joined.value != nil)
    #expect(queue.comparisonCount == 1)
  }

  @Test func `however many ask at once, a tag is made once`() async throws {
    defer { queue.stop() }
    let generations: ClosedRange<UInt64> = 1...500
    for generation in generations {
      let tags = await withTaskGroup { group in
        for number in 0..<8 {
          group.addTask { [self] in
            await queue.tag(question("x", generation: generation), for: .certificate("\(number)")) { [1] }
          }
        }
        return await group.reduce(into: Set<EntityTag?>()) { $0.insert($1) }
      }
      #expect(tags.count == 1)
    }
    #expect(queue.comparisonCount == generations.count)
  }
}
