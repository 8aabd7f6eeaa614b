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

  /// Runs `body` when its turn has come.
  ///
  /// - Parameter viewer: who asks, and has some of the places at most.
  /// - Returns: nil where too many wait already.
  func run<Result: Sendable>(for viewer: Viewer, _ body: @escaping @Sendable () -> Result) async -> Result? {
    guard viewers.take(viewer) else { return nil }
    defer { viewers.leave(viewer) }
    guard count.wrappingAdd(1, ordering: .relaxed).oldValue < Self.limit else {
      count.wrappingSubtract(1, ordering: .relaxed)
      return nil
    }
    defer { count.wrappingSubtract(1, ordering: .relaxed) }
    return await pool.run(body)
  }

  /// To be called when the library was stopped, which ends what is being made.
  func stop() { pool.stop() }
}
