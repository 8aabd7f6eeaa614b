internal import FootageAPI

/// A task that was requested for a recording. A request for all recordings becomes a task for each.
package struct OffloadTask: Hashable, Sendable {
  package enum Verb: String, Hashable, Sendable, CaseIterable {
    /// The recording is copied to the store before all others.
    case now
    /// The recording is restored to the robot's disk.
    case restore
    /// The lengths and the manifest of the store's copy are compared with what was signed.
    case verify
    /// All bytes of the store's copy are read and compared with what was signed.
    case read
    /// The recording is deleted in the store.
    case remove
    /// The protection of a recording that only the store has is ended.
    case release
  }

  package enum State: Hashable, Sendable {
    case waiting
    case running
    case done(String)
    case failed(String)
  }

  /// The number, which increases from task to task.
  package let number: UInt64
  package let verb: Verb
  package let name: String
  package var state = State.waiting

  /// The task in the form in which it is reported.
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

/// The requested tasks, in order. It does no input or output.
struct OffloadTasks: Hashable {
  private(set) var all: [OffloadTask] = []
  private var last: UInt64 = 0

  /// The largest number of tasks that may wait. `remembered` is the number of finished tasks that are remembered.
  static let limit = 10_000
  static let remembered = 1_000

  /// - Returns: the tasks' numbers; nil if too many wait.
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

  /// Returns the next task, and marks it as running.
  mutating func next() -> OffloadTask? {
    guard let index = all.firstIndex(where: { $0.state == .waiting }) else { return nil }
    all[index].state = .running
    return all[index]
  }

  /// Fails all tasks that wait, because they cannot be carried out.
  mutating func failWaiting(_ reason: String) {
    for index in all.indices where all[index].state == .waiting { all[index].state = .failed(reason) }
  }

  mutating func note(_ number: UInt64, _ state: OffloadTask.State) {
    guard let index = all.firstIndex(where: { $0.number == number }) else { return }
    all[index].state = state
  }
}
