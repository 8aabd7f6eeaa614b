internal import FootageSystem
internal import FootageHTTP

/// Threads that may wait for a disk or a store, which are shared fairly between viewers, and one for what is nobody's:
/// closing files above all, which must not wait for turns, or what has been sent would pile up.
final class ReadingPool: Sendable {
  private let reading: ViewerPool
  private let others: BlockingPool
  private let store: StoreTurns

  /// How many wait for a store at once: its client has at least twice as many connections, for what is read ahead.
  private static let storeTurns = 4

  /// - Parameters:
  ///   - threadCount: how many of viewers' calls may block at once.
  ///   - name: of their threads; 15 bytes of it are kept.
  /// - Throws: `SystemError` where the system has no thread left.
  init(threadCount: Int, name: String) throws(SystemError) {
    reading = try ViewerPool(threadCount: threadCount, name: name)
    others = try BlockingPool(threadCount: 1)
    store = StoreTurns(count: Self.storeTurns)
  }

  /// Runs what waits for a store, and blocks no thread, in the turn of a viewer.
  ///
  /// - Parameter viewer: nil for what is nobody's, which does not wait.
  func fetch<Failure>(for viewer: Viewer?, _ body: () async throws(Failure) -> Void) async throws(Failure) {
    guard let viewer else { return try await body() }
    try await store.run(for: viewer, body)
  }

  /// Runs `body` on one of the threads, in the turn of a viewer, and comes back to the caller's executor.
  ///
  /// - Parameter viewer: nil for what is nobody's.
  func run<Value: Sendable, Failure>(
    for viewer: Viewer?, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    guard let viewer else { return try await others.run(body) }
    return try await reading.run(for: viewer, body)
  }

  /// Drops a reference, which may close files; and behind it another one, which may be what the open files count as.
  ///
  /// - Parameters:
  ///   - object: retained for this call, which takes it over.
  ///   - place: nil where there is none.
  func release(_ object: Unmanaged<some AnyObject & Sendable>, then place: ViewerPlace?) {
    unsafe others.release(object)
    // Safe because it is retained here, and taken over.
    if let place { unsafe others.release(Unmanaged.passRetained(place)) }
  }

  /// Finishes what was asked for and ends the threads.
  func stop() {
    reading.stop()
    others.stop()
  }
}
