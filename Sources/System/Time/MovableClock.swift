internal import Synchronization

/// A clock that a test moves.
package final class MovableClock: Sendable {
  private struct State {
    var passed: Int64 = 0
    var unix: Int64
    var actions: [@Sendable () -> Void] = []
  }

  /// Whether time passes by itself, too.
  package let isRunning: Bool
  private let state: Mutex<State>

  /// Where time stands still it begins so long after some moment in the past.
  private static let start: Int64 = 1_000_000_000_000_000

  /// A clock that stands still until it is moved.
  ///
  /// - Parameter unixSeconds: the time of day that it begins with.
  package init(unixSeconds: Int64 = 1_750_000_000) {
    isRunning = false
    state = Mutex(State(unix: unixSeconds &* 1_000_000_000))
  }

  /// A clock that runs as the system's does, and is ahead of it by as much as it was moved.
  package init(ahead: Duration) {
    isRunning = true
    state = Mutex(State(unix: 0))
    advance(by: ahead)
  }

  package var clock: Clock { Clock(self) }

  /// Lets time pass, and wakes those who wait for it.
  package func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    let passed = seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000
    let actions = state.withLock { state in
      state.passed &+= passed
      state.unix &+= passed
      return state.actions
    }
    for action in actions { action() }
  }

  /// Sets the time of day alone, forwards or back, as a person does or a time server.
  package func setTimeOfDay(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    state.withLock { $0.unix &+= seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000 }
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
