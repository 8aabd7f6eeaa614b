internal import FootageSystem
internal import FootageHTTP

/// Threads that may wait for a disk or a store, shared fairly between viewers. One more thread is for work that belongs
/// to no viewer, mainly closing files. That work does not wait for turns, because otherwise open files of ended
/// responses would accumulate.
final class ReadingPool: Sendable {
  private let reading: ViewerPool
  private let others: BlockingPool
  private let store: StoreTurns

  /// The number of requests that wait for a store at the same time. The store's client has at least twice as many
  /// connections, for read-ahead.
  private static let storeTurns = 4

  /// - Parameters:
  ///   - threadCount: the number of viewers' calls that may block at the same time.
  ///   - name: the name of the threads, of which 15 bytes are kept.
  /// - Throws: `SystemError` if the system has no thread left.
  init(threadCount: Int, name: String) throws(SystemError) {
    reading = try ViewerPool(threadCount: threadCount, name: name)
    others = try BlockingPool(threadCount: 1)
    store = StoreTurns(count: Self.storeTurns)
  }

  /// Runs work that waits for a store without blocking a thread, in the turn of a viewer.
  ///
  /// - Parameter viewer: nil for work that belongs to no viewer, which does not wait for a turn.
  func fetch<Failure>(for viewer: Viewer?, _ body: () async throws(Failure) -> Void) async throws(Failure) {
    guard let viewer else { return try await body() }
    try await store.run(for: viewer, body)
  }

  /// Runs `body` on one of the threads, in the turn of a viewer, and returns to the caller's executor.
  ///
  /// - Parameter viewer: nil for work that belongs to no viewer.
  func run<Value: Sendable, Failure>(
    for viewer: Viewer?, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let viewer else { return try await others.run(body) }
    return try await reading.run(for: viewer, body)
  }

  /// Releases an object, which may close its files, and then the place that the open files occupy.
  ///
  /// - Parameters:
  ///   - object: the object, retained for this call, which releases it.
  ///   - place: nil if there is none.
  func release(_ object: Unmanaged<some AnyObject & Sendable>, then place: ViewerPlace?) {
    unsafe others.release(object)
    // Safe because it is retained here, and the pool takes over the reference.
    if let place { unsafe others.release(Unmanaged.passRetained(place)) }
  }

  /// Finishes the pending work and ends the threads.
  func stop() {
    reading.stop()
    others.stop()
  }
}
