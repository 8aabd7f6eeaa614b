internal import Synchronization

/// Tells what happens to whoever listens, by streams and by handlers. What nobody has heard waits for the first who
/// listens, the latest of it alone.
///
/// Its streams end with it.
package final class EventSource<Event: Sendable>: Sendable {
  /// What waits for somebody to listen, and what waits in a stream that is not read: events at most.
  package static var limit: Int { 256 }

  private struct State {
    var listeners: [UInt64: AsyncStream<Event>.Continuation] = [:]
    var handlers: [@Sendable (Event) -> Void] = []
    var next: UInt64 = 0
    /// Of the time in which nobody listened.
    var unheard: [Event] = []
  }

  private let state = Mutex(State())

  package init() {}

  deinit { for listener in state.withLock({ $0.listeners.values }) { listener.finish() } }

  /// Whether somebody listens.
  package var isHeard: Bool { state.withLock { !$0.listeners.isEmpty || !$0.handlers.isEmpty } }

  package func send(_ event: Event) {
    let (listeners, handlers) = state.withLock { state in
      if state.listeners.isEmpty, state.handlers.isEmpty {
        if state.unheard.count == Self.limit { state.unheard.removeFirst() }
        state.unheard.append(event)
      }
      return (Array(state.listeners.values), state.handlers)
    }
    // Neither may run under the lock: both run code of others.
    for listener in listeners { listener.yield(event) }
    for handler in handlers { handler(event) }
  }

  /// What happens from now on, and what nobody has heard before. One stream for one task; it does not keep this object
  /// alive.
  package func events() -> AsyncStream<Event> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Event.self, bufferingPolicy: .bufferingNewest(Self.limit))
    state.withLock { state in
      state.next += 1
      let id = state.next
      state.listeners[id] = continuation
      continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[id] = nil } }
      for event in state.unheard { continuation.yield(event) }
      state.unheard = []
    }
    return stream
  }

  /// Calls `handler` for what happens from now on, and for what nobody has heard before, on whatever thread it happens.
  package func onEvent(_ handler: @escaping @Sendable (Event) -> Void) {
    let unheard = state.withLock { state in
      defer { state.unheard = [] }
      state.handlers.append(handler)
      return state.unheard
    }
    for event in unheard { handler(event) }
  }
}
