internal import FootageBase
package import FootageServing
internal import FootageLibrary
package import FootageSystem

/// A scanner that finds recordings that were added to the store or deleted from it, and updates the index. It is an
/// actor on a separate loop, so that viewers never wait for it.
package actor FleetScanner {
  /// The objects that a scanner uses. Tests replace them.
  package struct Surroundings: Sendable {
    let store: any Store
    let index: FleetIndex
    let progress: FleetProgress
    /// Threads that may wait for the disk.
    let pool: BlockingPool
    let clock: Clock
    let log: @Sendable (FleetEvent) -> Void
    /// The function to be called when the index has changed, on any thread.
    let onChange: @Sendable () -> Void

    package init(
      store: any Store, index: FleetIndex, progress: FleetProgress, pool: BlockingPool, clock: Clock = .system,
      log: @escaping @Sendable (FleetEvent) -> Void, onChange: @escaping @Sendable () -> Void
    ) {
      self.store = store
      self.index = index
      self.progress = progress
      self.pool = pool
      self.clock = clock
      self.log = log
      self.onChange = onChange
    }

    /// The time in milliseconds since 1970.
    var now: Int64 { clock.unixNanoseconds / 1_000_000 }

    func changed() {
      index.noteChange()
      onChange()
    }

    func write<Answer: Sendable>(
      _ body: @escaping @Sendable (FleetWriter) throws(SQLiteError) -> Answer
    ) async throws(FleetError) -> Answer {
      let index = index
      return try await pool.run { () throws(FleetError) in try index.write(body) }
    }
  }

  private let loop: EventLoop
  private let surroundings: Surroundings
  private let stopping = StopSignal()
  private let look: RobotScanner
  private var list: RobotsList
  private var robots: [FleetRobot]
  /// The running listings of all objects of a robot.
  private var listings: [FleetRobot: Task<Void, Never>] = [:]
  /// The earliest time for the next listing, after one has failed.
  private var nextListing: Deadline
  private var told: String?
  private var backoff = Backoff(from: .seconds(2), upTo: .seconds(30))
  private let sleeper: LoopSleeper

  package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

  /// The pause between two searches for new recordings. Together with the search itself, it is well below a minute.
  package static let interval = Duration.seconds(20)
  /// The interval at which all objects of a robot are listed, in milliseconds. Only such a listing finds deleted
  /// recordings.
  private static let listingMilliseconds: Int64 = 3_600_000
  /// The number of robots whose objects are all listed at the same time. `looksAtOnce` is the number that are searched
  /// for new recordings at the same time.
  private static let listingsAtOnce = 4
  private static let looksAtOnce = 4

  package init(_ surroundings: Surroundings, list: RobotsList, robots: [FleetRobot], on loop: EventLoop) {
    self.surroundings = surroundings
    self.list = list
    self.robots = robots
    self.loop = loop
    sleeper = LoopSleeper(on: loop)
    look = RobotScanner(surroundings: surroundings, stop: stopping)
    nextListing = surroundings.clock.now
  }

  // MARK: Running

  /// Works until it is stopped.
  package func run() async {
    while !stopping.isSet {
      let pause = await round()
      if !stopping.isSet { await sleeper.sleep(for: pause) }
    }
    await settle()
  }

  /// Ends the scanner after the current requests.
  package func stop() {
    stopping.set()
    sleeper.wake()
  }

  /// Searches once for new recordings of all robots. Begins to list all objects of the robots that were not listed
  /// within `listingMilliseconds`.
  ///
  /// - Returns: the pause until the next round.
  func round() async -> Duration {
    surroundings.progress.change { $0.indexFailure = nil }
    await readList()
    guard let due = await useRobots() else {
      backoff.failed()
      return backoff.pause
    }
    beginListings(of: due)
    let busy = Set(listings.keys)
    let failure = await lookForNews(of: robots.filter { !busy.contains($0) && !due.contains($0) })
    // A robot that could not be listed has to be listed before everything counts as well again.
    if failure != nil || backoff.failures == 0 || due.isEmpty { note(failure) }
    return backoff.failures == 0 ? Self.interval : backoff.pause
  }

  /// Waits until nothing is being listed.
  func settle() async {
    while let listing = listings.values.first { await listing.value }
  }

  /// Records the result of requests to the store. The same failure is logged again only after the store has answered.
  private func note(_ failure: ObjectStoreError?) {
    guard let failure else {
      backoff.succeeded()
      told = nil
      let now = UnixTimestamp(milliseconds: surroundings.now)
      return surroundings.progress.change {
        $0.storeTrouble = nil
        $0.lastRound = now
      }
    }
    backoff.failed()
    surroundings.progress.change { $0.storeTrouble = FleetStatus.Trouble(failure) }
    guard told != failure.description else { return }
    told = failure.description
    surroundings.log(FleetEvent(.warning, failure.description))
  }

  // MARK: Robots

  private func readList() async {
    let former = list
    do throws(FleetError) {
      let (next, found) = try await surroundings.pool.run { () throws(FleetError) -> (RobotsList, [FleetRobot]?) in
        var list = former
        let robots = try list.read()
        return (list, robots)
      }
      list = next
      surroundings.progress.change { $0.robotsFailure = nil }
      if let found { robots = found }
    } catch {
      let words = error.description
      let isNews = surroundings.progress.status.robotsFailure != words
      surroundings.progress.change { $0.robotsFailure = words }
      if isNews { surroundings.log(FleetEvent(.error, "the previous list of robots stays in use: \(words)")) }
    }
  }

  /// Sets the robots of the index to those of the current list.
  ///
  /// - Returns: the robots whose objects are all to be listed; nil if the index cannot be used.
  private func useRobots() async -> Set<FleetRobot>? {
    let (robots, now) = (robots, surroundings.now)
    surroundings.progress.change { $0.robots = robots.count }
    do throws(FleetError) {
      let (isChanged, due) = try await surroundings.write {
        (writer) throws(SQLiteError) -> (Bool, Set<FleetRobot>) in
        let isChanged = try writer.use(robots)
        var due: Set<FleetRobot> = []
        for robot in robots {
          // A clock that was set back must not keep the scanner from listing.
          let listed = try writer.listed(robot.name)
          if let listed, listed <= now, now - listed < Self.listingMilliseconds { continue }
          due.insert(robot)
        }
        return (isChanged, due)
      }
      if isChanged { surroundings.changed() }
      return due
    } catch {
      let words = error.description
      surroundings.progress.change { $0.indexFailure = words }
      surroundings.log(FleetEvent(.error, words))
      return nil
    }
  }

  private func beginListings(of due: Set<FleetRobot>) {
    guard surroundings.clock.now >= nextListing else { return }
    // In the order of the file.
    for robot in robots where due.contains(robot) && listings[robot] == nil {
      guard listings.count < Self.listingsAtOnce, !stopping.isSet else { return }
      listings[robot] = Task(executorPreference: loop) { await self.listAll(of: robot) }
    }
  }

  private func listAll(of robot: FleetRobot) async {
    var failure: ObjectStoreError?
    do throws(ObjectStoreError) { try await look.listAll(of: robot) } catch { failure = error }
    listings[robot] = nil
    if let failure {
      note(failure)
      nextListing = surroundings.clock.deadline(after: backoff.pause)
    } else if surroundings.progress.status.indexFailure == nil, !stopping.isSet, let due = await useRobots() {
      note(nil)
      beginListings(of: due)
    }
  }

  /// - Returns: the failure of the store, or nil.
  private func lookForNews(of robots: [FleetRobot]) async -> ObjectStoreError? {
    for start in stride(from: 0, to: robots.count, by: Self.looksAtOnce) where !stopping.isSet {
      let part = robots[start..<min(robots.count, start + Self.looksAtOnce)]
      let look = look
      let failure = await withTaskGroup(of: ObjectStoreError?.self) { group in
        for robot in part {
          group.addTask {
            do throws(ObjectStoreError) {
              try await look.lookForNews(of: robot)
              return nil
            } catch { return error }
          }
        }
        var failure: ObjectStoreError?
        for await outcome in group { failure = outcome ?? failure }
        return failure
      }
      // A store that does not answer about one robot does not answer about the others either.
      if let failure { return failure }
    }
    return nil
  }
}
