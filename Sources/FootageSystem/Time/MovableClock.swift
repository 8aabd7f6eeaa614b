internal import FootageBase
internal import Synchronization

/// A clock that a test moves.
package final class MovableClock: Sendable {
  private struct State {
    var passed: Int64 = 0
    var unix: Int64
    var actions: [@Sendable () -> Void] = []
    var sleepers: [Sleeper] = []
    /// The number of tasks that have ever slept.
    var sleeperCount: UInt64 = 0
  }

  /// A task that waits for this clock to be moved.
  private struct Sleeper {
    let number: UInt64
    /// The value of `passed` at which it wakes, in nanoseconds.
    let due: Int64
    /// The continuation, resumed with true once that time has passed, and with false if the task was canceled.
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// True if time also passes by itself.
  package let isRunning: Bool
  /// The action that a task calls instead of sleeping by this clock; nil if the task really sleeps.
  let sleeping: (@Sendable (Duration) async -> Void)?
  private let state: Mutex<State>

  /// The time at which a clock that stands still begins, in nanoseconds since a fixed moment in the past.
  private static let start: Int64 = 1_000_000_000_000_000

  /// Creates a clock that stands still until it is moved.
  ///
  /// - Parameters:
  ///   - unixSeconds: the time of day with which it begins.
  ///   - sleeping: the action that a task calls instead of waiting until the clock is moved.
  package init(unixSeconds: Int64 = 1_750_000_000, sleeping: (@Sendable (Duration) async -> Void)? = nil) {
    isRunning = false
    self.sleeping = sleeping
    state = Mutex(State(unix: unixSeconds &* 1_000_000_000))
  }

  /// Creates a clock that runs like the system's, and is ahead of it by as much as it was moved.
  ///
  /// - Parameter sleeping: the action that a task calls instead of sleeping.
  package init(ahead: Duration, sleeping: (@Sendable (Duration) async -> Void)? = nil) {
    isRunning = true
    self.sleeping = sleeping
    state = Mutex(State(unix: 0))
    advance(by: ahead)
  }

  package var clock: Clock { Clock(self) }

  /// Lets time pass, and wakes the tasks that wait for it.
  package func advance(by duration: Duration) {
    let passed = duration.inNanoseconds
    let (actions, woken) = state.withLock { state in
      state.passed &+= passed
      state.unix &+= passed
      let woken = state.sleepers.filter { $0.due <= state.passed }
      state.sleepers.removeAll { $0.due <= state.passed }
      return (state.actions, woken)
    }
    for sleeper in woken { sleeper.continuation.resume(returning: true) }
    for action in actions { action() }
  }

  /// Waits until the clock was moved by this much.
  ///
  /// - Throws: if the task is canceled first.
  func sleep(for duration: Duration) async throws(CancellationError) {
    let number = state.withLock { state in
      state.sleeperCount += 1
      return state.sleeperCount
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver: Bool? = state.withLock { state in
          // The task may have been canceled before there was a sleeper to wake.
          guard !Task.isCancelled else { return false }
          guard duration > .zero else { return true }
          let due = state.passed &+ duration.inNanoseconds
          state.sleepers.append(Sleeper(number: number, due: due, continuation: continuation))
          return nil
        }
        if let isOver { continuation.resume(returning: isOver) }
      }
    } onCancel: {
      let sleeper = state.withLock { state in
        state.sleepers.firstIndex { $0.number == number }.map { state.sleepers.remove(at: $0) }
      }
      sleeper?.continuation.resume(returning: false)
    }
    guard isOver else { throw CancellationError() }
  }

  /// Changes only the time of day, forward or back, as a person or a time server does.
  package func setTimeOfDay(by duration: Duration) {
    state.withLock { $0.unix &+= duration.inNanoseconds }
  }

  var nanoseconds: UInt64 {
    let passed = state.withLock { $0.passed }
    return isRunning ? Clock.system.nanoseconds &+ UInt64(bitPattern: passed) : UInt64(Self.start &+ passed)
  }

  var uptimeNanoseconds: Int64 {
    let passed = state.withLock { $0.passed }
    return (isRunning ? Clock.system.uptimeNanoseconds : Self.start) &+ passed
  }

  var unixNanoseconds: Int64 {
    let unix = state.withLock { $0.unix }
    return isRunning ? Clock.system.unixNanoseconds &+ unix : unix
  }

  func whenMoved(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.actions.append(action) } }
}
