internal import FootageBase
internal import Synchronization

/// A clock that a test moves.
package final class MovableClock: Sendable {
  private struct State {
    var passed: Int64 = 0
    var unix: Int64
    var actions: [@Sendable () -> Void] = []
    var sleepers: [Sleeper] = []
    /// How many have ever slept.
    var sleeperCount: UInt64 = 0
  }

  /// A task that waits for this clock to be moved.
  private struct Sleeper {
    let number: UInt64
    /// How much has passed by then, in nanoseconds.
    let due: Int64
    /// Told whether that has passed; else the task was cancelled.
    let continuation: CheckedContinuation<Bool, Never>
  }

  /// Whether time passes by itself, too.
  package let isRunning: Bool
  /// What a task does that sleeps by this clock; nil where it waits until the clock was moved so far, or has run so
  /// far.
  let sleeping: (@Sendable (Duration) async -> Void)?
  private let state: Mutex<State>

  /// Where time stands still it begins so long after some moment in the past.
  private static let start: Int64 = 1_000_000_000_000_000

  /// A clock that stands still until it is moved.
  ///
  /// - Parameters:
  ///   - unixSeconds: the time of day that it begins with.
  ///   - sleeping: what a task does that sleeps, in place of waiting until the clock is moved.
  package init(unixSeconds: Int64 = 1_750_000_000, sleeping: (@Sendable (Duration) async -> Void)? = nil) {
    isRunning = false
    self.sleeping = sleeping
    state = Mutex(State(unix: unixSeconds &* 1_000_000_000))
  }

  /// A clock that runs as the system's does, and is ahead of it by as much as it was moved.
  ///
  /// - Parameter sleeping: what a task does that sleeps, in place of waiting.
  package init(ahead: Duration, sleeping: (@Sendable (Duration) async -> Void)? = nil) {
    isRunning = true
    self.sleeping = sleeping
    state = Mutex(State(unix: 0))
    advance(by: ahead)
  }

  package var clock: Clock { Clock(self) }

  /// Lets time pass, and wakes those who wait for it.
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

  /// Returns when it was moved by so much.
  ///
  /// - Throws: when the task is cancelled before.
  func sleep(for duration: Duration) async throws(CancellationError) {
    let number = state.withLock { state in
      state.sleeperCount += 1
      return state.sleeperCount
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver: Bool? = state.withLock { state in
          // Cancelling may have come before there was anybody to wake.
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

  /// Sets the time of day alone, forwards or back, as a person does or a time server.
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
