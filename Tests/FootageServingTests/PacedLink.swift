import LinuxTestSupport
import Testing

@testable import FootageServing

/// A simulation of a server's rates as its viewers see them, on a clock that advances from event to event. Connections
/// ask for turns, send them and ask again, while the loop wakes a few milliseconds late.
struct PacedLink {
  /// The behavior of a connection.
  enum Habit {
    /// The viewer takes everything that it is sent, without end.
    case greedy
    /// The viewer takes everything, over a link of its own with this number of bytes per second.
    case slow(bytesPerSecond: Int)
    /// The viewer asks for an answer of this number of bytes, and for the next one the given time after it has arrived.
    case small(byteCount: Int, everyMilliseconds: UInt64)
  }

  private struct Connection {
    let viewer: String
    let habit: Habit
    /// The time of its next request.
    var nextAsk: UInt64
    var ticket: UInt64?
    var askedAt: UInt64 = 0
    var asked = 0
    /// The number of bytes left of its answer, if the answer is small.
    var left = 0
  }

  struct Turn {
    let moment: UInt64
    let viewer: String
    let byteCount: Int
  }

  private(set) var turns: [Turn] = []
  /// The time of each complete small answer from its request to its last turn, in milliseconds.
  private(set) var smallAnswers: [UInt64] = []
  private var connections: [Connection] = []
  private var schedule: PacingSchedule<String>
  private let turnByteCount: Int
  private var random: SeededGenerator
  private(set) var now: UInt64 = 1_000_000_000_000

  static let second: UInt64 = 1_000_000_000
  private static let millisecond: UInt64 = 1_000_000

  init(total: UInt64?, perViewer: UInt64? = nil, seed: UInt64 = 1) throws {
    let limits = try #require(
      PacingLimits(
        total: total.flatMap { BitRate(bitsPerSecond: $0) }, perViewer: perViewer.flatMap { BitRate(bitsPerSecond: $0) }
      ))
    schedule = PacingSchedule(limits, at: now)
    turnByteCount = limits.turnByteCount
    random = SeededGenerator(seed: seed)
  }

  mutating func connect(_ viewer: String, _ habit: Habit, count: Int = 1) {
    for _ in 0..<count {
      schedule.join(viewer, at: now)
      connections.append(Connection(viewer: viewer, habit: habit, nextAsk: now))
    }
  }

  /// Ends a viewer's connections.
  mutating func disconnect(_ viewer: String) {
    for connection in connections where connection.viewer == viewer {
      if let ticket = connection.ticket { schedule.cancel(ticket) }
      schedule.leave(viewer, at: now)
    }
    connections.removeAll { $0.viewer == viewer }
  }

  mutating func run(for seconds: UInt64) {
    let end = now + seconds * Self.second
    while now < end {
      for index in connections.indices where connections[index].ticket == nil && connections[index].nextAsk <= now {
        ask(index)
      }
      deliver(schedule.grant(at: now))
      let asks = connections.lazy.filter { $0.ticket == nil }.map(\.nextAsk).min()
      // The loop wakes in the millisecond in which a turn is due, or a few later.
      let due = schedule.nextGrant().map { moment in
        (moment / Self.millisecond + 1 + UInt64.random(in: 0...4, using: &random)) * Self.millisecond
      }
      now = min(end, max(now + 1, min(asks ?? .max, due ?? .max)))
    }
  }

  private mutating func ask(_ index: Int) {
    let connection = connections[index]
    var asked = turnByteCount
    var isSmall = false
    if case .small(let byteCount, _) = connection.habit {
      if connection.left == 0 {
        connections[index].left = byteCount
        connections[index].askedAt = now
      }
      asked = min(asked, connections[index].left)
      isSmall = true
    }
    connections[index].asked = asked
    connections[index].ticket = schedule.ask(for: asked, by: connection.viewer, isSmall: isSmall)
  }

  private mutating func deliver(_ tickets: [UInt64]) {
    for ticket in tickets {
      guard let index = connections.firstIndex(where: { $0.ticket == ticket }) else { continue }
      let connection = connections[index]
      connections[index].ticket = nil
      // TLS adds a little to the requested number of bytes.
      let sent = connection.asked + 22
      schedule.settle(connection.asked, sent: sent, by: connection.viewer, at: now)
      turns.append(Turn(moment: now, viewer: connection.viewer, byteCount: sent))
      switch connection.habit {
      case .greedy: connections[index].nextAsk = now + 50_000
      case .slow(let bytesPerSecond):
        connections[index].nextAsk = now + UInt64(sent) * Self.second / UInt64(bytesPerSecond)
      case .small(_, let interval):
        connections[index].left -= connection.asked
        let isWhole = connections[index].left == 0
        if isWhole { smallAnswers.append((now - connection.askedAt) / Self.millisecond) }
        connections[index].nextAsk = isWhole ? now + interval * Self.millisecond : now + 50_000
      }
    }
  }

  /// Returns the numbers of bytes that a viewer, or all viewers together, received in each interval of ten seconds.
  /// Intervals begin a tenth of a second apart.
  func tenSeconds(of viewer: String? = nil) -> [Int] {
    guard let first = turns.first?.moment else { return [] }
    var slots = [Int](repeating: 0, count: Int((now - first) / (Self.second / 10)) + 1)
    for turn in turns where viewer == nil || turn.viewer == viewer {
      slots[Int((turn.moment - first) / (Self.second / 10))] += turn.byteCount
    }
    // The last tenth has not ended.
    return slots.indices.dropLast(100).map { slots[$0..<($0 + 100)].reduce(0, +) }
  }

  func byteCount(of viewer: String, since moment: UInt64 = 0) -> Int {
    turns.lazy.filter { $0.viewer == viewer && $0.moment >= moment }.map(\.byteCount).reduce(0, +)
  }

  /// Returns the longest time between two turns of a viewer, in milliseconds.
  func longestPause(of viewer: String) -> UInt64 {
    let moments = turns.lazy.filter { $0.viewer == viewer }.map(\.moment)
    return zip(moments, moments.dropFirst()).map { ($1 - $0) / Self.millisecond }.max() ?? 0
  }
}
