internal import Synchronization

/// Hands values on to somebody who awaits: in order, one after the other, and of those that came meanwhile the newest alone.
final class NewestValue<Value: Sendable>: Sendable {
  private struct State {
    var newest: Value?
    var isBeingHandedOn = false
  }

  private let state = Mutex(State())
  private let handler: @Sendable (Value) async -> Void

  init(_ handler: @escaping @Sendable (Value) async -> Void) { self.handler = handler }

  /// Returns at once.
  func send(_ value: Value) {
    let isFirst = state.withLock { state in
      state.newest = value
      defer { state.isBeingHandedOn = true }
      return !state.isBeingHandedOn
    }
    guard isFirst else { return }
    Task { while let value = take() { await handler(value) } }
  }

  private func take() -> Value? {
    state.withLock { state in
      defer { state.newest = nil }
      if state.newest == nil { state.isBeingHandedOn = false }
      return state.newest
    }
  }
}
