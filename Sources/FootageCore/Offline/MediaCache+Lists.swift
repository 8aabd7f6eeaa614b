internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The lists that robots sent last.
extension MediaCache {
  /// A robot that has sent a list to this app.
  public struct KnownRobot: Hashable, Sendable, Identifiable {
    /// The name by which the cache knows the robot: `RecordingKey.robot` of its recordings.
    public var id: String
    /// The name that people give the robot; nil if the robot does not state it.
    public var name: String?
    /// The robot's time zone, by its name in the time zone database: `Europe/Berlin`; nil if the robot does not state
    /// it.
    public var zone: String?
    /// The time at which the robot last sent a list.
    public var listedAt: UnixTime?

    /// - Parameters:
    ///   - id: the name by which the cache knows the robot.
    ///   - name: the name that people give the robot.
    ///   - zone: the name of its time zone in the time zone database.
    ///   - listedAt: the time at which it last sent a list.
    public init(id: String, name: String? = nil, zone: String? = nil, listedAt: UnixTime? = nil) {
      self.id = id
      self.name = name
      self.zone = zone
      self.listedAt = listedAt
    }
  }

  /// Returns the robots that have sent lists, the most recent one first. No robot is asked.
  public func knownRobots() -> [KnownRobot] {
    lists.all.map { KnownRobot(id: $0.robot, name: $0.name, zone: $0.zone, listedAt: $0.listedAt) }
  }

  /// Returns the recordings in the lists that a robot sent last, newest first, as far as this app requested them. There
  /// are at most 5,000, and each has the time at which it was listed. The robot is not asked.
  ///
  /// - Parameter robot: the robot's `KnownRobot.id`.
  public func listedRecordings(ofRobot robot: String) -> [RobotRecording] { lists.list(of: [robot])?.recordings ?? [] }

  /// Returns the list of a robot, by the first of its names under which a list is stored.
  func list(of robots: [String]) -> ListedRecordings? { lists.list(of: robots) }

  /// The time for which a list waits to be written, because more pages may follow.
  private static let patience = Duration.seconds(2)

  /// Adds a page that a robot has listed.
  func take(_ page: ListedRecordings.Page, of robots: [String]) {
    lists.take(page, of: robots, at: UnixTime(UnixTimestamp(milliseconds: clock.unixNanoseconds / 1_000_000)))
    guard !page.isLast else { return saveLists() }
    guard savingLists == nil else { return }
    savingLists = Task { [weak self, clock] in
      await clock.pause(for: Self.patience)
      await self?.saveLists()
    }
  }

  func saveLists() {
    savingLists?.cancel()
    savingLists = nil
    guard contents.store?.problem == nil, contents.store != nil else { return }
    // A list that cannot be written now is written with the next one.
    try? lists.save()
  }
}
