internal import Synchronization
internal import System

/// Makes views off the loops: each costs the process that reads files up to seconds, for which neither a loop nor the
/// threads that read the disk for all viewers may wait. Shared by all loops.
final class ViewQueue: Sendable {
  private let pool: BlockingPool
  private let viewers = ViewerPlaces()
  private let count = Atomic<Int>(0)

  /// Made at once; the machine has other things to do.
  private static let threadCount = 2
  /// Those that wait, and those that are made.
  private static let limit = 64

  /// - Throws: `SystemError` where the system has no thread left.
  init() throws(SystemError) { pool = try BlockingPool(threadCount: Self.threadCount) }

  /// Takes a place, which is to be given back by `leave`.
  ///
  /// - Parameter viewer: who asks, and has some of the places at most.
  /// - Returns: false where none is free.
  func take(_ viewer: Viewer) -> Bool {
    guard viewers.take(viewer) else { return false }
    if count.wrappingAdd(1, ordering: .relaxed).oldValue < Self.limit { return true }
    leave(viewer)
    return false
  }

  func leave(_ viewer: Viewer) {
    count.wrappingSubtract(1, ordering: .relaxed)
    viewers.leave(viewer)
  }

  /// Runs `body` when the turn of a place that was taken has come.
  func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result { await pool.run(body) }

  /// To be called when the library was stopped, which ends what is being made.
  func stop() { pool.stop() }
}
