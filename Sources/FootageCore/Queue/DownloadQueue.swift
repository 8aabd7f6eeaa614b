internal import FootageBase
internal import FootageSystem

/// A queue of recordings to fetch into the cache, which then keeps them. They are fetched one after the other, or
/// several at once. The list is in the cache's folder, so that the next process continues it.
///
/// There is one queue for a cache. It uses the connections to robots that the app passes to it. An item waits while its
/// robot has no connection or cannot be reached, and while the network is metered. Nothing is fetched after this object
/// has been released.
public actor DownloadQueue {
  /// The number of items that the queue has room for.
  public static let limit = 10_000
  /// The largest number of items that may be fetched at once.
  public static let parallelLimit = 8
  /// The first pause before a robot that cannot be reached is asked again. It doubles up to `longestPause`.
  private static let firstPause = Duration.seconds(2)
  private static let longestPause = Duration.seconds(60)

  private let cache: MediaCache
  private let clock: Clock
  private var list = DownloadList()
  private let file: DownloadListFile
  /// The changes that are not in the file yet.
  private var changes = DownloadList.Changes()
  private var isUnsaved = false
  private var saving: Task<Void, Never>?
  private var robots: [String: RobotConnection] = [:]
  private var running: [RecordingKey: Task<Void, Never>] = [:]
  /// The items whose robots could not be reached, with the pauses between attempts, the time of the next one, and the
  /// last error.
  private var away: [RecordingKey: (backoff: Backoff, due: Duration, error: RobotError)] = [:]
  private var timers: [RecordingKey: Task<Void, Never>] = [:]
  private var watching: [Task<Void, Never>] = []
  private nonisolated let events = ItemStreams()
  /// The reason why the last attempt to read or write the list failed; nil if it succeeded. The queue works
  /// nevertheless. Once the list can be read, the queue adopts the items that an earlier process left in it.
  public private(set) var folderProblem: MediaCacheError?

  /// Creates the queue, with the items that an earlier process has left.
  ///
  /// - Parameters:
  ///   - cache: the cache for the recordings and for the list of them.
  ///   - network: the source of the network's condition.
  public init(in cache: MediaCache, network: any NetworkConditions) async {
    self.cache = cache
    clock = cache.clock
    file = DownloadListFile(in: cache)
    do throws(MediaCacheError) { list = try await file.news() ?? DownloadList() } catch { folderProblem = error }
    watch(network)
    let gone = await cache.notComplete(of: list.finished)
    list.removeFinished(gone)
    changes.removed.formUnion(gone)
  }

  deinit {
    for task in watching { task.cancel() }
    for task in running.values { task.cancel() }
    for task in timers.values { task.cancel() }
    events.finish()
  }

  private func watch(_ network: any NetworkConditions) {
    let events = cache.events()
    watching = [
      Task { [weak self] in
        for await condition in network.conditions() { await self?.networkIs(condition) }
      },
      Task { [weak self] in
        for await case .removed(let key, _) in events { await self?.hasGone(key) }
      },
    ]
  }

  /// Removes a finished item whose recording has been removed from the cache.
  private func hasGone(_ key: RecordingKey) async {
    guard list[key]?.state == .finished, await cache.notComplete(of: [key]).contains(key),
      // The recording may have been added again meanwhile.
      list[key]?.state == .finished
    else { return }
    await remove(key)
  }

  private func networkIs(_ condition: NetworkCondition) {
    list.network = condition
    goOn()
  }

  // MARK: Contents

  /// The items, in the order in which they are fetched.
  public var items: [Item] { list.items }
  /// True if the whole queue is paused: no item is fetched until it is resumed.
  public var isPaused: Bool { list.isPaused }
  /// The number of items that are fetched at once.
  public var parallelism: Int { list.parallelism }

  /// Returns a stream of the items. It begins with the items as they are now. After changes it delivers only the newest
  /// items. Each stream is for one task, and ends with the queue.
  public nonisolated func updates() -> AsyncStream<[Item]> {
    let stream = events.stream()
    Task { await self.tell() }
    return stream
  }

  /// Returns when all items are at rest (`State.isAtRest`), or when its task is canceled.
  public nonisolated func waitUntilAtRest() async {
    for await items in updates() where items.allSatisfy(\.state.isAtRest) { return }
  }

  // MARK: Actions of a person

  /// Adds a connection to a robot to the queue. It is used for all of the robot's items, including those of an earlier
  /// process.
  public func connect(_ robot: RobotConnection) {
    for name in robot.cacheNames { robots[name] = robot }
    list.connected.formUnion(robot.cacheNames)
    goOn()
  }

  /// Removes the connection to a robot from the queue. The robot's remaining items wait for another connection.
  public func disconnect(_ robot: RobotConnection) {
    // The queue may have another connection to the robot now.
    let names = robot.cacheNames.filter { robots[$0] === robot }
    for name in names { robots[name] = nil }
    list.connected.subtract(names)
    goOn()
  }

  /// Adds a recording at the end. A recording that is in the queue already stays as it is. The function returns when
  /// the change would survive a power cut; if it would not, `folderProblem` has the reason. For several recordings, use
  /// `add(contentsOf:of:allowsMeteredNetworks:)`, which waits only once.
  ///
  /// There is room for `limit` recordings. If it is used up, finished ones leave the queue, in their order. If there
  /// are none, nothing is added.
  ///
  /// - Parameters:
  ///   - recording: as the robot listed it.
  ///   - robot: the connection to the robot that has it, which the queue uses from now on.
  ///   - allowsMeteredNetworks: true if it is also fetched while the network is metered.
  /// - Returns: the key of the recording in the cache.
  @discardableResult
  public func add(
    _ recording: RobotRecording, of robot: RobotConnection, allowsMeteredNetworks: Bool = false
  ) async -> RecordingKey {
    let key = await cache.key(of: recording.name, on: robot.cacheNames)
    await add([Item(key: key, recording: recording, allowsMeteredNetworks: allowsMeteredNetworks)], of: robot)
    return key
  }

  /// Adds a recording by its name, in the same way as a recording that was listed.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - robot: the connection to the robot that has it, which the queue uses from now on.
  ///   - allowsMeteredNetworks: true if it is also fetched while the network is metered.
  /// - Returns: the key of the recording in the cache.
  @discardableResult
  public func add(
    _ name: String, of robot: RobotConnection, allowsMeteredNetworks: Bool = false
  ) async -> RecordingKey {
    let key = await cache.key(of: name, on: robot.cacheNames)
    await add([Item(key: key, allowsMeteredNetworks: allowsMeteredNetworks)], of: robot)
    return key
  }

  /// Adds recordings at the end, in this order, all at once.
  ///
  /// - Parameters:
  ///   - recordings: as the robot listed them.
  ///   - robot: the connection to the robot that has them, which the queue uses from now on.
  ///   - allowsMeteredNetworks: true if they are also fetched while the network is metered.
  /// - Returns: the keys of the recordings in the cache, in their order.
  @discardableResult
  public func add(
    contentsOf recordings: [RobotRecording], of robot: RobotConnection, allowsMeteredNetworks: Bool = false
  ) async -> [RecordingKey] {
    let keys = await cache.keys(of: recordings.map(\.name), on: robot.cacheNames)
    await add(
      zip(keys, recordings).map { Item(key: $0, recording: $1, allowsMeteredNetworks: allowsMeteredNetworks) },
      of: robot)
    return keys
  }

  private func add(_ items: [Item], of robot: RobotConnection) async {
    let finished = list.finished.intersection(items.map(\.key))
    if !finished.isEmpty { list.removeFinished(await cache.notComplete(of: finished)) }
    changes.items.formUnion(list.add(contentsOf: items))
    connect(robot)
    await save()
  }

  /// Removes an item. The bytes that have been fetched stay in the cache. If the recording is incomplete, they may be
  /// removed to make room for others.
  public func remove(_ key: RecordingKey) async {
    list.remove(key)
    changes.removed.insert(key)
    changes.items.remove(key)
    forgetAbsence(key)
    await goOnAndSave()
  }

  /// Removes the finished items. Their recordings stay in the cache. An item whose recording is removed from the cache
  /// leaves the queue automatically.
  public func removeFinished() async {
    changes.removed.formUnion(list.finished)
    list.removeFinished()
    tell()
    await save()
  }

  /// Moves an item to another place. The first items are fetched first.
  ///
  /// - Parameter place: the new place, counted from 0 without the item itself.
  public func move(_ key: RecordingKey, to place: Int) async {
    list.move(key, to: place)
    await changed(key)
  }

  /// Pauses an item. The bytes that have been fetched stay.
  public func pause(_ key: RecordingKey) async {
    guard let state = list[key]?.state, state != .finished else { return }
    await set(.paused, key)
  }

  /// Continues an item that was paused or has failed.
  public func resume(_ key: RecordingKey) async {
    switch list[key]?.state {
    case .paused, .failed: await set(.waiting(.turn), key)
    default: break
    }
  }

  /// Tries an item again that has failed.
  public func retry(_ key: RecordingKey) async { await resume(key) }

  private func set(_ state: State, _ key: RecordingKey) async {
    list.set(state, key)
    forgetAbsence(key)
    await changed(key)
  }

  /// Sets whether an item is also fetched while the network is metered.
  public func setAllowsMeteredNetworks(_ allows: Bool, _ key: RecordingKey) async {
    list.allowMeteredNetworks(allows, key)
    await changed(key)
  }

  private func changed(_ key: RecordingKey) async {
    changes.items.insert(key)
    await goOnAndSave()
  }

  /// Pauses the whole queue, for later processes as well.
  public func pause() async { await setPaused(true) }

  /// Continues the whole queue, except for items that are paused individually.
  public func resume() async { await setPaused(false) }

  private func setPaused(_ isPaused: Bool) async {
    list.isPaused = isPaused
    changes.settings = true
    await goOnAndSave()
  }

  /// Sets the number of items that are fetched at once from now on, from 1 to `parallelLimit`.
  public func setParallelism(_ count: Int) async {
    list.parallelism = min(max(count, 1), Self.parallelLimit)
    changes.settings = true
    await goOnAndSave()
  }

  private func goOnAndSave() async {
    goOn()
    await save()
  }

  // MARK: Work

  /// Begins the items that should be fetched now, and stops those that should not.
  private func goOn() {
    let now = clock.uptime
    let plan = list.plan(running: Set(running.keys)) { [away] key in
      away[key].map { DownloadList.Absence(error: $0.error, isOver: $0.due <= now) }
    }
    for key in plan.stopping { running.removeValue(forKey: key)?.cancel() }
    for key in plan.starting {
      guard let robot = robots[key.robot] else { continue }
      running[key] = Task { [weak self, cache] in
        let (news, tell) = AsyncStream.makeStream(of: DownloadProgress.self, bufferingPolicy: .bufferingNewest(1))
        let telling = Task { [weak self] in
          for await progress in news { await self?.progressed(key, progress) }
        }
        let download = KeptDownload(key: key, robot: robot, cache: cache) { tell.yield($0) }
        let outcome = await download.fetch()
        tell.finish()
        await telling.value
        await self?.ended(key, outcome)
      }
    }
    tell()
  }

  private func progressed(_ key: RecordingKey, _ progress: DownloadProgress) {
    guard running[key] != nil else { return }
    list.set(progress, key)
    tell()
  }

  private func ended(_ key: RecordingKey, _ outcome: Result<UInt64, Failure>) async {
    // An item that was stopped has been forgotten already, or begun again.
    guard !Task.isCancelled, running.removeValue(forKey: key) != nil else { return }
    switch outcome {
    case .success(let length):
      list.set(DownloadProgress(length, of: length, bytesPerSecond: 0), key)
      list.set(.finished, key)
      forgetAbsence(key)
    case .failure(let failure):
      if let error = failure.passing {
        wait(for: error, key)
      } else {
        list.set(.failed(failure), key)
        forgetAbsence(key)
      }
    }
    changes.items.insert(key)
    await goOnAndSave()
  }

  private func wait(for error: RobotError, _ key: RecordingKey) {
    var backoff = away[key]?.backoff ?? Backoff(from: Self.firstPause, upTo: Self.longestPause)
    backoff.failed()
    let pause = backoff.pause
    away[key] = (backoff, clock.uptime + pause, error)
    list.set(.waiting(.robot(error)), key)
    timers[key]?.cancel()
    timers[key] = Task { [weak self, clock] in
      await clock.pause(for: pause)
      guard !Task.isCancelled else { return }
      await self?.askAgain(key)
    }
  }

  private func askAgain(_ key: RecordingKey) {
    timers[key] = nil
    goOn()
  }

  private func forgetAbsence(_ key: RecordingKey) {
    away[key] = nil
    timers.removeValue(forKey: key)?.cancel()
  }

  private func tell() { events.send(list.items) }

  // MARK: The file

  /// Returns when all changes so far have been written, or writing has failed. Changes that are made while the file is
  /// being written are written after that, all together.
  private func save() async {
    isUnsaved = true
    let task =
      saving
      ?? Task {
        while isUnsaved {
          isUnsaved = false
          await write()
        }
        saving = nil
      }
    saving = task
    await task.value
  }

  private func write() async {
    let former = changes
    do throws(MediaCacheError) {
      if let other = try await file.news() {
        list.take(other, keeping: changes)
        goOn()
      }
      let text = list.text()
      changes = DownloadList.Changes()
      try await file.write(text)
      folderProblem = nil
    } catch {
      changes.add(former)
      folderProblem = error
    }
  }
}

extension DownloadQueue.Failure {
  /// The error, if it is temporary and the queue waits until it has passed; nil otherwise.
  fileprivate var passing: RobotError? {
    switch self {
    case .robot(let error): error.canPass ? error : nil
    case .cache(.unreachable(_, let error)): error
    case .cache, .earlier: nil
    }
  }
}
