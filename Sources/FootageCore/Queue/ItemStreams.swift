internal import Synchronization

/// Streams of a queue's items, which deliver only the newest ones.
final class ItemStreams: Sendable {
  private typealias Listener = AsyncStream<[DownloadQueue.Item]>.Continuation

  private struct State {
    var listeners: [UInt64: Listener] = [:]
    var next: UInt64 = 0
  }

  private let state = Mutex(State())

  func stream() -> AsyncStream<[DownloadQueue.Item]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [DownloadQueue.Item].self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.next += 1
      state.listeners[state.next] = continuation
      return state.next
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[id] = nil } }
    return stream
  }

  func send(_ items: [DownloadQueue.Item]) {
    for listener in state.withLock({ Array($0.listeners.values) }) { listener.yield(items) }
  }

  func finish() { for listener in state.withLock({ Array($0.listeners.values) }) { listener.finish() } }
}
