internal import FootageServing
internal import FootageLibrary
internal import FootageSystem
internal import Synchronization

/// The recordings of many robots from one store, for as long as they are served. It has an index, a scanner for new
/// recordings and a cache, which share their own loop.
package final class FleetService: Sendable {
  package let index: FleetIndex
  package let recordings: FleetRecordings
  package let progress: FleetProgress
  private let lock: FileLock
  private let loop: EventLoop
  private let pool: BlockingPool
  private let cache: StoreBlockCache
  private let news: FleetScanner
  private let changes = FleetChanges()
  private let end = Semaphore()

  private static let indexName = "fleet.sqlite"
  private static let lockName = "fleet.lock"
  /// The numbers of connections to the store, for viewers and for the scanner.
  private static let connections = (viewers: 16, news: 16)
  /// The number of threads that may wait for the store when something is opened.
  package static let openingThreads = 8
  /// The time that the current request to the store may still take when the service stops.
  private static let patience = Duration.seconds(2)

  /// Opens the index and the cache, and reads the list of robots. Sends nothing to the store yet. Blocks.
  ///
  /// - Throws: `FleetError`.
  package init(
    _ settings: FleetSettings, log: @escaping @Sendable (FleetEvent) -> Void
  ) throws(FleetError) {
    var list = RobotsList(path: settings.robots)
    let robots = try list.read() ?? []
    do throws(StorageError) {
      try StateFolderOwner.check(settings.state, database: Self.indexName, FleetSchema.owner)
      try FileTree.createFolders(settings.state)
      lock = try FileLock.taken(
        "\(settings.state)/\(Self.lockName)", within: LibraryLimits.folderLockPatience)
    } catch {
      if error.reason == .system(.wouldBlock) { throw .alreadyServed(folder: settings.state) }
      throw .storage(error)
    }
    index = try FleetIndex(path: "\(settings.state)/\(Self.indexName)")
    let loop: EventLoop
    let (viewers, newcomers): (ObjectStoreClient, ObjectStoreClient)
    do throws(NetworkingError) { loop = try EventLoop() } catch { throw .store(error.description) }
    do throws(StoreConnectionFailure) {
      let warn: @Sendable (String) -> Void = { log(FleetEvent(.warning, $0)) }
      viewers = try settings.store.client(on: loop, connections: Self.connections.viewers, warn: warn)
      newcomers = try settings.store.client(on: loop, connections: Self.connections.news, warn: warn)
    } catch { throw .store(error.description) }
    self.loop = loop
    do throws(SystemError) {
      pool = try BlockingPool(threadCount: 2)
    } catch { throw .system(error) }
    do throws(StorageError) {
      cache = try StoreBlockCache(folder: settings.state, limit: settings.cacheBytes, store: viewers, loop: loop)
    } catch { throw .storage(error) }
    progress = FleetProgress(store: settings.store.address.description)
    progress.change { $0.robots = robots.count }
    recordings = FleetRecordings(viewers, cache, on: loop, pool: pool)
    let changes = changes
    news = FleetScanner(
      FleetScanner.Surroundings(
        store: newcomers, index: index, progress: progress, pool: pool, log: log, onChange: { changes.tell() }),
      list: list, robots: robots, on: loop)
  }

  /// The number of bytes that were fetched from the store for viewers since the start.
  package var fetchedBytes: UInt64 { cache.fetchedBytes }

  /// Begins to check the store for new recordings.
  ///
  /// - Parameter onChange: called when the index has changed, on any thread; it should be quick.
  package func start(onChange: @escaping @Sendable () -> Void) throws(FleetError) {
    changes.listen(onChange)
    do throws(NetworkingError) { try loop.start() } catch { throw .store(error.description) }
    Task(executorPreference: loop) { [news, end] in
      await news.run()
      end.signal()
    }
  }

  /// Ends the service. Blocks for a moment.
  package func stop() {
    cache.stop()
    Task(executorPreference: loop) { [news] in await news.stop() }
    _ = end.wait(until: Clock.system.deadline(after: Self.patience))
    loop.stop()
    pool.stop()
  }
}

/// A listener that is notified of changes of the index.
private final class FleetChanges: Sendable {
  private let listener = Mutex<(@Sendable () -> Void)?>(nil)

  func listen(_ body: @escaping @Sendable () -> Void) { listener.withLock { $0 = body } }

  func tell() { listener.withLock { $0 }?() }
}
