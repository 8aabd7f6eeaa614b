internal import FootageAPI

/// Something that somebody has asked for: of one recording, or of all.
package struct OffloadTask: Hashable, Sendable {
  package enum Verb: String, Hashable, Sendable, CaseIterable {
    /// Brings it to the store before all others.
    case now
    /// Brings it back to the robot's disk.
    case restore
    /// Compares what the store has with what was signed.
    case verify
    /// The same, and reads all of it.
    case read
    /// Deletes it in the store.
    case remove
    /// Ends the protection of what the store alone has.
    case release
  }

  package enum State: Hashable, Sendable {
    case waiting
    case running
    case done(String)
    case failed(String)
  }

  /// Goes up from task to task.
  package let number: UInt64
  package let verb: Verb
  package let name: String
  package var state = State.waiting

  /// As others are told of it.
  var report: OffloadReport.Task {
    let (state, text): (OffloadReport.Task.State, String?) =
      switch state {
      case .waiting: (.waiting, nil)
      case .running: (.running, nil)
      case .done(let words): (.done, words)
      case .failed(let words): (.failed, words)
      }
    return OffloadReport.Task(number: number, verb: verb.rawValue, name: name, state: state, text: text)
  }

  package var isOver: Bool {
    switch state {
    case .waiting, .running: false
    case .done, .failed: true
    }
  }
}

/// What was asked for, in order: no input or output.
struct OffloadTasks: Hashable {
  private(set) var all: [OffloadTask] = []
  private var last: UInt64 = 0

  /// So many may wait, and so many that are over are remembered.
  static let limit = 10_000
  static let remembered = 1_000

  /// - Returns: their numbers; nil where too many wait.
  mutating func add(_ verb: OffloadTask.Verb, _ names: [String]) -> [UInt64]? {
    guard all.count(where: { !$0.isOver }) + names.count <= Self.limit else { return nil }
    var numbers: [UInt64] = []
    for name in names {
      last += 1
      all.append(OffloadTask(number: last, verb: verb, name: name))
      numbers.append(last)
    }
    let over = all.count(where: \.isOver)
    if over > Self.remembered {
      var excess = over - Self.remembered
      all.removeAll { task in
        guard task.isOver, excess > 0 else { return false }
        excess -= 1
        return true
      }
    }
    return numbers
  }

  /// The next one, which runs from now on.
  mutating func next() -> OffloadTask? {
    guard let index = all.firstIndex(where: { $0.state == .waiting }) else { return nil }
    all[index].state = .running
    return all[index]
  }

  /// None of those that wait is going to be done.
  mutating func failWaiting(_ reason: String) {
    for index in all.indices where all[index].state == .waiting { all[index].state = .failed(reason) }
  }

  mutating func note(_ number: UInt64, _ state: OffloadTask.State) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return }
    all[index].state = state
  }
}
