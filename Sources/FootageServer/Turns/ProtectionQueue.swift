internal import FootageHTTP
internal import Synchronization
internal import FootageSystem

/// Protects and releases recordings off the loops, on threads of its own: a month of a camera takes minutes. One change of
/// a viewer is carried out at a time, a part in each turn, so that no viewer has a thread for long; shared by all loops.
final class ProtectionQueue: Sendable {
  private struct State {
    /// Viewers of whom a change is carried out, with those that wait for its end.
    var busy: [Viewer: [Suspension<Void>]] = [:]
  }

  private let state = Mutex(State())
  private let pool: ViewerPool
  private let places = ViewerPlaces()

  /// Changes that are carried out at once.
  private static let threadCount = 2

  /// - Throws: `SystemError` where the system has no thread left.
  init() throws(SystemError) { pool = try ViewerPool(threadCount: Self.threadCount, name: "footage-keep") }

  /// The number of changes that wait or are carried out.
  var waitingCount: Int { places.count }

  /// Carries out a change after what the viewer has asked for before.
  ///
  /// - Parameter part: called once in each of the viewer's turns, until it has a result.
  /// - Returns: nil where as many changes of the viewer wait as may.
  /// - Throws: what `part` throws, which ends the change.
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

  /// To be called when the library was stopped.
  func stop() { pool.stop() }
}
