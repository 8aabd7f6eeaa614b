internal import Synchronization

/// Work that is done once for several waiting tasks: a task that asks for it while it is running waits for the same
/// result.
final class SharedWork<Value: Sendable>: Sendable {
  private struct State {
    /// The running work; nil while no task waits.
    var task: Task<Void, Never>?
    /// The number of the current work, by which the results of canceled work are recognized.
    var turn: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    var count: UInt64 = 0
  }

  private let state = Mutex(State())

  /// The number of waiting tasks.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for the result of the work, which is started if it is not running.
  ///
  /// - Returns: nil if this task was canceled. When all waiting tasks are canceled, so is the work.
  func value(_ work: @escaping @Sendable () async -> Value) async -> Value? {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        let isCancelled = state.withLock { state in
          // A task that is cancelled after this check finds its entry here.
          guard !Task.isCancelled else { return true }
          state.waiting[number] = waiting
          if state.task == nil { begin(work, &state) }
          return false
        }
        if isCancelled { waiting.resume(returning: nil) }
      }
    } onCancel: {
      leave(number)
    }
  }

  private func begin(_ work: @escaping @Sendable () async -> Value, _ state: inout State) {
    state.turn += 1
    let turn = state.turn
    // A task in more of a hurry may join later.
    state.task = Task(priority: .userInitiated) { [self] in finish(turn, await work()) }
  }

  private func finish(_ turn: UInt64, _ value: Value) {
    let all = state.withLock { state -> [CheckedContinuation<Value?, Never>] in
      guard state.turn == turn, state.task != nil else { return [] }
      state.task = nil
      defer { state.waiting = [:] }
      return Array(state.waiting.values)
    }
    for one in all { one.resume(returning: value) }
  }

  private func leave(_ number: UInt64) {
    let one = state.withLock { state in
      let one = state.waiting.removeValue(forKey: number)
      if one != nil, state.waiting.isEmpty {
        state.task?.cancel()
        state.task = nil
      }
      return one
    }
    one?.resume(returning: nil)
  }
}
