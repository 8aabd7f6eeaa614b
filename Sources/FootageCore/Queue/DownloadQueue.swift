internal import FootageBase
internal import FootageSystem

/// Recordings that are to be on this device: fetched into the cache one after the other, or several at once, and kept
/// there. The list is in the cache's folder, so that the next process goes on with it.
///
/// One for a cache. It asks robots by the connections that it is given, and waits for those that it does not have, for a
/// network that is not metered, and for robots that are away. Nothing is fetched after this object has gone.
public actor DownloadQueue {
  /// Items that it has room for.
  public static let limit = 10_000
  /// Items that may be fetched at once, at most.
  public static let parallelLimit = 8
  /// The first pause before a robot that is away is asked again; it doubles up to the last.
  private static let firstPause = Duration.seconds(2)
  private static let longestPause = Duration.seconds(60)

  private let cache: MediaCache
  private let clock: Clock
  private var list = DownloadList()
  private let file: DownloadListFile
  /// What is not in the file yet.
  private var changes = DownloadList.Changes()
  private var isUnsaved = false
  private var saving: Task<Void, Never>?
  private var robots: [String: RobotConnection] = [:]
  private var running: [RecordingKey: Task<Void, Never>] = [:]
  /// Of robots that were away: how long each is left alone, when it is asked again, and what it was.
  private var away: [RecordingKey: (backoff: Backoff, due: Duration, error: RobotError)] = [:]
  private var timers: [RecordingKey: Task<Void, Never>] = [:]
  private var watching: [Task<Void, Never>] = []
  private nonisolated let events = ItemStreams()
  /// Why the list could not be read or written when that was last tried; nil where all is well. It goes on all the same,
  /// and what an earlier process has left is taken up once it can be read.
  public private(set) var folderProblem: MediaCacheError?

  /// Takes up what an earlier process has left.
  ///
  /// - Parameters:
  ///   - cache: where the recordings are kept, and the list of them.
  ///   - network: who knows what the network is like.
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

  /// What was finished, and is on this device no more, is no item any more.
  private func hasGone(_ key: RecordingKey) async {
    guard list[key]?.state == .finished, await cache.notComplete(of: [key]).contains(key),
      // It may have been added anew by now.
      list[key]?.state == .finished
    else { return }
    await remove(key)
  }

  private func networkIs(_ condition: NetworkCondition) {
    list.network = condition
    goOn()
  }

  // MARK: What is in it

  /// In the order in which they are fetched.
  public var items: [Item] { list.items }
  /// Whether nothing is begun, or goes on.
  public var isPaused: Bool { list.isPaused }
  /// How many are fetched at once.
  public var parallelism: Int { list.parallelism }

  /// The items as they are now, and whenever one has changed since, the newest alone. Each stream is for one task, and
  /// ends with the queue.
  public nonisolated func updates() -> AsyncStream<[Item]> {
    let stream = events.stream()
    Task { await self.tell() }
    return stream
  }

  /// Returns when all that is in it is at rest (`State.isAtRest`), or with its task.
  public nonisolated func waitUntilAtRest() async {
    for await items in updates() where items.allSatisfy(\.state.isAtRest) { return }
  }

  // MARK: What a person does

  /// Gives the queue a connection to a robot, for its recordings: also those that an earlier process has added.
  public func connect(_ robot: RobotConnection) {
    for name in robot.cacheNames { robots[name] = robot }
    list.connected.formUnion(robot.cacheNames)
    goOn()
  }

  /// Takes a robot's connection back: what is still to come of it waits for another one.
  public func disconnect(_ robot: RobotConnection) {
    // It may have been given another one by now.
    let names = robot.cacheNames.filter { robots[$0] === robot }
    for name in names { robots[name] = nil }
    list.connected.subtract(names)
    goOn()
  }

  /// Adds a recording at the end; one that is there already stays as it is. Returns when that would survive a power cut,
  /// or `folderProblem` says why not: for several, `add(contentsOf:of:allowsMeteredNetworks:)` waits once.
  ///
  /// There is room for `limit` recordings. Where that is used up, those that were finished first go out of the queue;
  /// where there are none, nothing is added.
  ///
  /// - Parameters:
  ///   - recording: as the robot listed it.
  ///   - robot: whose it is, which the queue has a connection to from now on.
  ///   - allowsMeteredNetworks: whether it is fetched while the network is metered, too.
  /// - Returns: what it is called here.
  @discardableResult
  public func add(
    _ recording: RobotRecording, of robot: RobotConnection, allowsMeteredNetworks: Bool = false
  ) async -> RecordingKey {
    let key = await cache.key(of: recording.name, on: robot.cacheNames)
    await add([Item(key: key, recording: recording, allowsMeteredNetworks: allowsMeteredNetworks)], of: robot)
    return key
  }

  /// Adds a recording by its name, as one that was listed.
  ///
  /// - Parameters:
  ///   - name: as the robot lists it.
  ///   - robot: whose it is, which the queue has a connection to from now on.
  ///   - allowsMeteredNetworks: whether it is fetched while the network is metered, too.
  /// - Returns: what it is called here.
  @discardableResult
  public func add(
    _ name: String, of robot: RobotConnection, allowsMeteredNetworks: Bool = false
  ) async -> RecordingKey {
    let key = await cache.key(of: name, on: robot.cacheNames)
    await add([Item(key: key, allowsMeteredNetworks: allowsMeteredNetworks)], of: robot)
    return key
  }

  /// Adds recordings at the end, in this order, at once.
  ///
  /// - Parameters:
  ///   - recordings: as the robot listed them.
  ///   - robot: whose they are, which the queue has a connection to from now on.
  ///   - allowsMeteredNetworks: whether they are fetched while the network is metered, too.
  /// - Returns: what they are called here, in their order.
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

  /// Takes an item out. What has come of it stays in the cache, and is no longer kept where it is not all there.
  public func remove(_ key: RecordingKey) async {
    list.remove(key)
    changes.removed.insert(key)
    changes.items.remove(key)
    forgetAbsence(key)
    await goOnAndSave()
  }

  /// Takes out what is finished. It stays in the cache. What is removed from the cache goes by itself.
  public func removeFinished() async {
    changes.removed.formUnion(list.finished)
    list.removeFinished()
    tell()
    await save()
  }

  /// Moves an item to another place: the first ones are fetched first.
  ///
  /// - Parameter place: counted from 0, without the item itself.
  public func move(_ key: RecordingKey, to place: Int) async {
    list.move(key, to: place)
    await changed(key)
  }

  /// Pauses an item: what has come of it stays.
  public func pause(_ key: RecordingKey) async {
    guard let state = list[key]?.state, state != .finished else { return }
    await set(.paused, key)
  }

  /// Goes on with an item that was paused, or has failed.
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

  /// Whether an item is fetched while the network is metered, too.
  public func setAllowsMeteredNetworks(_ allows: Bool, _ key: RecordingKey) async {
    list.allowMeteredNetworks(allows, key)
    await changed(key)
  }

  private func changed(_ key: RecordingKey) async {
    changes.items.insert(key)
    await goOnAndSave()
  }

  /// Pauses all of it, also for the next process.
  public func pause() async { await setPaused(true) }

  /// Goes on with all of it, but for items that are paused themselves.
  public func resume() async { await setPaused(false) }

  private func setPaused(_ isPaused: Bool) async {
    list.isPaused = isPaused
    changes.settings = true
    await goOnAndSave()
  }

  /// How many are fetched at once from now on: from 1 to `parallelLimit`.
  public func setParallelism(_ count: Int) async {
    list.parallelism = min(max(count, 1), Self.parallelLimit)
    changes.settings = true
    await goOnAndSave()
  }

  private func goOnAndSave() async {
    goOn()
    await save()
  }

  // MARK: What it does

  /// Begins what is to begin, and stops what is to stop.
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
    // What was stopped has been forgotten already, or begun anew.
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

  /// Returns when all that has been changed so far is written, or could not be. What changes while the file is being
  /// written is written behind it, all together.
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
  /// What can pass, and is waited for.
  fileprivate var passing: RobotError? {
    switch self {
    case .robot(let error): error.canPass ? error : nil
    case .cache(.unreachable(_, let error)): error
    case .cache, .earlier: nil
    }
  }
}
