internal import Synchronization

/// A source of events, which listeners receive by streams or by handlers. Events that occur without a listener wait for
/// the first one; only the latest are kept.
///
/// The streams end with the source.
package final class EventSource<Event: Sendable>: Sendable {
  /// The largest number of events that wait for the first listener, and that wait in a stream which is not read.
  package static var limit: Int { 256 }

  private struct State {
    var listeners: [UInt64: AsyncStream<Event>.Continuation] = [:]
    var handlers: [@Sendable (Event) -> Void] = []
    var next: UInt64 = 0
    /// The events that occurred while there was no listener.
    var unheard: [Event] = []
  }

  private let state = Mutex(State())

  package init() {}

  deinit { for listener in state.withLock({ $0.listeners.values }) { listener.finish() } }

  /// True while there is a listener.
  package var isHeard: Bool { state.withLock { !$0.listeners.isEmpty || !$0.handlers.isEmpty } }

  package func send(_ event: Event) {
    let (listeners, handlers) = state.withLock { state in
      if state.listeners.isEmpty, state.handlers.isEmpty {
        if state.unheard.count == Self.limit { state.unheard.removeFirst() }
        state.unheard.append(event)
      }
      return (Array(state.listeners.values), state.handlers)
    }
    // Both run foreign code, so neither may run under the lock.
    for listener in listeners { listener.yield(event) }
    for handler in handlers { handler(event) }
  }

  /// Returns a stream of the events from now on, and of those that no listener has received yet. A stream is for one
  /// task, and does not keep this object alive.
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

  /// Calls `handler` for the events from now on, and for those that no listener has received yet, on any thread.
  package func onEvent(_ handler: @escaping @Sendable (Event) -> Void) {
    let unheard = state.withLock { state in
      defer { state.unheard = [] }
      state.handlers.append(handler)
      return state.unheard
    }
    for event in unheard { handler(event) }
  }
}
