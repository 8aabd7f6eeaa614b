internal import FootageHTTP
internal import Synchronization
internal import FootageSystem

/// A queue that protects and releases recordings off the loops, on its own threads, because protecting a month of a
/// camera's recordings takes minutes. Each viewer has one change in progress at a time. In each turn of the viewer, one
/// part of the change is made, so that no viewer occupies a thread for long. Shared by all loops.
final class ProtectionQueue: Sendable {
  private struct State {
    /// The viewers with a change in progress, each with the changes that wait for its end.
    var busy: [Viewer: [Suspension<Void>]] = [:]
  }

  private let state = Mutex(State())
  private let pool: ViewerPool
  private let places = ViewerPlaces()

  /// The number of changes that are carried out at the same time.
  private static let threadCount = 2

  /// - Throws: `SystemError` if the system has no thread left.
  init() throws(SystemError) { pool = try ViewerPool(threadCount: Self.threadCount, name: "footage-keep") }

  /// The number of changes that wait or are in progress.
  var waitingCount: Int { places.count }

  /// Carries out a change after the viewer's earlier ones.
  ///
  /// - Parameter part: called once in each of the viewer's turns, until it has a result.
  /// - Returns: nil if the viewer has the maximum number of waiting changes.
  /// - Throws: the error that `part` throws, which ends the change.
  func run<Value: Sendable, Failure>(
    for viewer: Viewer, _ part: @escaping @Sendable () throws(Failure) -> Value?
  ) async throws(Failure) -> Value? {
    guard places.take(viewer) else { return nil }
    defer { places.leave(viewer) }
    await begin(viewer)
    defer { end(viewer) }
    while true { if let value = try await pool.run(for: viewer, part) { return value } }
  }

  private func begin(_ viewer: Viewer) async {
    await Suspension<Void>.suspend { suspension in
      let isFree = state.withLock { state in
        guard state.busy[viewer] != nil else {
          state.busy[viewer] = []
          return true
        }
        state.busy[viewer]?.append(suspension)
        return false
      }
      if isFree { suspension.resume() }
    }
  }

  private func end(_ viewer: Viewer) {
    let next = state.withLock { state -> Suspension<Void>? in
      guard var waiting = state.busy[viewer], !waiting.isEmpty else {
        state.busy[viewer] = nil
        return nil
      }
      let next = waiting.removeFirst()
      state.busy[viewer] = waiting
      return next
    }
    next?.resume()
  }

  /// Ends the threads. Call it after the library was stopped.
  func stop() { pool.stop() }
}
