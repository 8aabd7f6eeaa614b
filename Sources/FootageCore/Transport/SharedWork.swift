internal import Synchronization

/// Work that several may wait for, and that is done once: whoever comes while it goes on gets what it comes to.
final class SharedWork<Value: Sendable>: Sendable {
  private struct State {
    /// What is being done; nil while nobody waits.
    var task: Task<Void, Never>?
    /// Tells what comes of work that was given up.
    var turn: UInt64 = 0
    var waiting: [UInt64: CheckedContinuation<Value?, Never>] = [:]
    var count: UInt64 = 0
  }

  private let state = Mutex(State())

  /// How many wait.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for what the work comes to, which is begun where it does not go on.
  ///
  /// - Returns: nil where this task was cancelled. Where all were who waited, the work is.
  func value(_ work: @escaping @Sendable () async -> Value) async -> Value? {
    let number = state.withLock { state in
      state.count += 1
      return state.count
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiting in
        let isCancelled = state.withLock { state in
          // Whoever is cancelled from now on is found here.
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
    // Somebody in more of a hurry may come to wait for it.
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
