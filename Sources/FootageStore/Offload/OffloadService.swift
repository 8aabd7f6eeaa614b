package import FootageAPI
internal import FootageBase
internal import FootageServing
package import FootageLibrary
internal import FootageSystem
internal import Synchronization

/// The service that copies a folder's recordings to a store, for as long as the folder is served. It has its own loop,
/// connections and record.
package final class OffloadService: Sendable {
  /// The progress, for health, metrics and commands.
  package let progress: OffloadProgress
  private let loop: EventLoop
  private let pool: BlockingPool
  private let offloader: Offloader
  private let rate: SendingRate
  private let files: ServedLibrary
  private let cache: StoreBlockCache
  private let end = Semaphore()
  private let state = Mutex(State())

  private struct State {
    var work: Task<Void, Never>?
    /// True once no more work is passed to the loop. A loop that has ended would never release that work.
    var isStopped = false
  }

  /// The record's name in the state folder.
  package static let recordName = StateFolderOwner.storeRecord.name
  /// The number of connections for uploading: one sends while the other waits for an answer.
  private static let connections = 2
  /// The number of connections for viewers of recordings that only the store has.
  private static let readingConnections = 8
  /// The number of connections for the checks before deletions, which must not wait behind viewers.
  private static let askingConnections = 1
  /// The time that the current request may still take when the service stops. After this time, the request is aborted,
  /// which may take as long again.
  private static let patience = Duration.seconds(2)

  /// Opens the record, and informs the library which versions are in the store. Sends nothing to the store yet.
  ///
  /// - Parameters:
  ///   - pins: the pins of the keys that may have signed this robot's manifests: the present one, and earlier ones.
  /// - Throws: `OffloadError`.
  package init(
    _ settings: OffloadSettings, of library: RecordingLibrary,
    pins: @escaping @Sendable () -> [PublicKeyPin], log: @escaping @Sendable (LibraryEvent) -> Void
  ) throws(OffloadError) {
    let path = "\(library.place.state)/\(Self.recordName)"
    let record = try OffloadDatabase(path: path)
    let rate = SendingRate(settings.bytesPerSecond, yieldsToOthers: true)
    self.rate = rate
    do throws(NetworkingError) { loop = try EventLoop() } catch { throw .refused(error.description) }
    let client = try Self.client(settings, on: loop, rate, log)
    do throws(SystemError) { pool = try BlockingPool(threadCount: 1) } catch { throw .refused(error.description) }
    progress = OffloadProgress(store: settings.address.description)
    let stored = StoredVersions()
    files = ServedLibrary(library, stored, pins: pins)
    let reading = try Self.client(settings, on: loop, nil, log)
    let asking = try Self.client(settings, on: loop, nil, connections: Self.askingConnections, log)
    let surroundings = Offloader.Surroundings(
      store: client, reading: reading, asking: asking, files: files, prefix: "\(settings.robot)/",
      manifestLimit: ManifestLimits.bytes, pool: pool, log: log)
    offloader = try Offloader(surroundings, record: record, on: loop, progress: progress)
    do throws(StorageError) {
      cache = try StoreBlockCache(
        folder: library.place.state, limit: settings.cacheBytes, store: reading, loop: loop)
    } catch { throw .refused("what is read from the store cannot be cached: \(error)") }
    stored.read(by: StoreReader(cache, prefix: "\(settings.robot)/", record: try OffloadDatabase(path: path)))
    stored.check(by: StoreQuestion(offloader, on: loop))
    library.use(stored)
  }

  private static func client(
    _ settings: OffloadSettings, on loop: EventLoop, _ rate: SendingRate?, connections count: Int? = nil,
    _ log: @escaping @Sendable (LibraryEvent) -> Void
  ) throws(OffloadError) -> ObjectStoreClient {
    let connection = StoreConnection(
      address: settings.address, key: settings.key, trust: settings.trust, earliestNow: settings.earliestNow)
    do throws(StoreConnectionFailure) {
      return try connection.client(
        on: loop, connections: count ?? (rate == nil ? readingConnections : connections), sendingRate: rate
      ) { log(.warning($0)) }
    } catch { throw .refused(error.description) }
  }

  /// Starts the service, after the library was started and makes manifests.
  package func start() throws(OffloadError) {
    files.begin()
    do throws(NetworkingError) { try loop.start() } catch { throw .refused(error.description) }
    let work = Task(executorPreference: loop) { [offloader, end] in
      await offloader.run()
      end.signal()
    }
    state.withLock { $0.work = work }
  }

  /// Stops the service. Unfinished work continues after the next start. Blocks for a moment.
  package func stop() {
    let (work, wasStopped) = state.withLock { state in
      defer { state.isStopped = true }
      return (state.work, state.isStopped)
    }
    guard !wasStopped else { return }
    // A thread that waits for an answer gets none any more.
    files.check(by: nil)
    cache.stop()
    Task(executorPreference: loop) { [offloader] in await offloader.stop() }
    if !end.wait(until: Clock.system.deadline(after: Self.patience)) {
      work?.cancel()
      _ = end.wait(until: Clock.system.deadline(after: Self.patience))
    }
    loop.stop()
    pool.stop()
  }

  /// Records that recordings have changed, so that the offloader checks for work.
  package func lookAgain() {
    // Within the lock: a loop carries out what it is given before it is told to end.
    state.withLock { if !$0.isStopped { offloader.lookAgain() } }
  }

  /// Requests tasks. Their results appear in the progress.
  ///
  /// - Parameter names: with or without the extension; nil for all stored recordings.
  /// - Returns: the tasks' numbers; nil if too many tasks wait already.
  package func ask(_ verb: OffloadTask.Verb, of names: [String]?) async -> [UInt64]? {
    guard !state.withLock({ $0.isStopped }) else { return nil }
    guard let names else { return await offloader.ask(verb, of: offloader.storedNames) }
    return await offloader.ask(verb, of: names)
  }
}
