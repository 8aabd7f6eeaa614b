internal import FootageHTTP
internal import FootageSystem

/// Makes views off the loops: each costs the process that reads files up to seconds, for which neither a loop nor the
/// threads that read the disk for all viewers may wait. Shared by all loops.
final class ViewQueue: Sendable {
  private let pool: ViewerPool
  private let places: ViewerPlaces

  /// Views that are made at once; the machine has other things to do.
  private static let threadCount = 2

  /// - Parameter limit: how many views may be unfinished: those that wait, are made, or are sent.
  /// - Throws: `SystemError` where the system has no thread left.
  init(limit: Int) throws(SystemError) {
    places = ViewerPlaces(total: limit)
    pool = try ViewerPool(threadCount: Self.threadCount, name: "footage-views")
  }

  /// The number of views that are unfinished.
  var unfinishedCount: Int { places.count }

  /// A place for a view, which costs a descriptor for as long as it is unfinished.
  ///
  /// - Parameter viewer: who asks, and has some of the places at most.
  /// - Returns: nil where none is free.
  func place(for viewer: Viewer) -> ViewerPlace? { places.place(for: viewer) }

  /// Runs `body` when a thread is free and it is the viewer's turn.
  func run<Value: Sendable, Failure>(
    for viewer: Viewer, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await pool.run(for: viewer, body)
  }

  /// To be called when the library was stopped, which ends what is being made.
  func stop() { pool.stop() }
}
