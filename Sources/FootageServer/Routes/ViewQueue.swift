internal import HTTPTransport
internal import Synchronization
internal import FootageSystem

/// Makes views off the loops: each costs the process that reads files up to seconds, for which neither a loop nor the
/// threads that read the disk for all viewers may wait. Shared by all loops.
final class ViewQueue: Sendable {
  private let pool: BlockingPool
  private let viewers = ViewerPlaces()
  private let count = Atomic<Int>(0)
  private let limit: Int

  /// Made at once; the machine has other things to do.
  private static let threadCount = 2

  /// - Parameter limit: how many views may be unfinished: those that wait, are made, or are sent.
  /// - Throws: `SystemError` where the system has no thread left.
  init(limit: Int) throws(SystemError) {
    self.limit = limit
    pool = try BlockingPool(threadCount: Self.threadCount)
  }

  /// How many views are unfinished.
  var unfinishedCount: Int { count.load(ordering: .relaxed) }

  /// A place for a view, which costs a descriptor for as long as it is unfinished.
  ///
  /// - Parameter viewer: who asks, and has some of the places at most.
  /// - Returns: nil where none is free.
  func place(for viewer: Viewer) -> ViewPlace? {
    guard viewers.take(viewer) else { return nil }
    guard count.wrappingAdd(1, ordering: .relaxed).oldValue < limit else {
      leave(viewer)
      return nil
    }
    return ViewPlace(self, viewer)
  }

  fileprivate func leave(_ viewer: Viewer) {
    count.wrappingSubtract(1, ordering: .relaxed)
    viewers.leave(viewer)
  }

  /// Runs `body` when a thread is free.
  func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result { await pool.run(body) }

  /// To be called when the library was stopped, which ends what is being made.
  func stop() { pool.stop() }
}

/// A place for a view, which is free again when this goes away: when all of the view was sent, or nobody wants it.
final class ViewPlace: Sendable {
  private let queue: ViewQueue
  private let viewer: Viewer

  fileprivate init(_ queue: ViewQueue, _ viewer: Viewer) {
    self.queue = queue
    self.viewer = viewer
  }

  deinit { queue.leave(viewer) }
}

/// Whose view a loop has made next: one after the other, in the order in which they came. A request that waits is held,
/// so that nothing is made for a client that has gone. Belongs to its loop's thread.
final class ViewTurns {
  private var isTaken = false
  private var waiting: [any RequestConnection] = []

  /// How long a request waits for its turn.
  private static let patience = Duration.seconds(60)

  /// Waits for the turn, which is to be given back by `leave`.
  ///
  /// - Returns: false where the view is not wanted any more, or its turn does not come.
  func take(over connection: any RequestConnection) async -> Bool {
    guard isTaken else {
      isTaken = true
      return true
    }
    waiting.append(connection)
    let isWoken = await connection.hold(until: connection.clock.deadline(after: Self.patience))
    if let index = waiting.firstIndex(where: { $0 === connection }) {
      // Nobody has given it the turn.
      waiting.remove(at: index)
      return false
    }
    if !isWoken { leave() }
    return isWoken
  }

  /// Gives the turn to whoever waits longest.
  func leave() {
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    waiting.removeFirst().endHold()
  }
}
