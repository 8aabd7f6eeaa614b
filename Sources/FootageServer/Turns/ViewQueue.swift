internal import FootageHTTP
internal import FootageSystem

/// A queue that makes views off the loops. Making a view may take several seconds, for which neither a loop nor the
/// threads that read the disk for all viewers may wait. Shared by all loops.
final class ViewQueue: Sendable {
  private let pool: ViewerPool
  private let places: ViewerPlaces

  /// The number of views that are made at the same time. Other work on the machine needs the remaining processors.
  private static let threadCount = 2

  /// - Parameter limit: the number of views that may be unfinished: those that wait, are being made, or are being sent.
  /// - Throws: `SystemError` if the system has no thread left.
  init(limit: Int) throws(SystemError) {
    places = ViewerPlaces(total: limit)
    pool = try ViewerPool(threadCount: Self.threadCount, name: "footage-views")
  }

  /// The number of views that are unfinished.
  var unfinishedCount: Int { places.count }

  /// Returns a place for a view, which costs a descriptor for as long as it is unfinished.
  ///
  /// - Parameter viewer: the viewer who asks. One viewer may occupy only a part of the places.
  /// - Returns: nil if no place is free.
  func place(for viewer: Viewer) -> ViewerPlace? { places.place(for: viewer) }

  /// Runs `body` when a thread is free and it is the viewer's turn.
  func run<Value: Sendable, Failure>(
    for viewer: Viewer, _ body: @escaping @Sendable () throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    try await pool.run(for: viewer, body)
  }

  /// Ends the threads. Call it after the library was stopped, which ends the views that are being made.
  func stop() { pool.stop() }
}
