internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// What robots listed last.
extension MediaCache {
  /// A robot that has listed something to this app.
  public struct KnownRobot: Hashable, Sendable, Identifiable {
    /// What the cache knows it by: `RecordingKey.robot` of its recordings.
    public var id: String
    /// What people call it; nil where it does not say.
    public var name: String?
    /// Its time zone, as the time zone database calls it: `Europe/Berlin`; nil where it does not say.
    public var zone: String?
    /// When it listed something last.
    public var listedAt: UnixTime?

    /// - Parameters:
    ///   - id: what the cache knows it by.
    ///   - name: what people call it.
    ///   - zone: as the time zone database calls it.
    ///   - listedAt: when it listed something last.
    public init(id: String, name: String? = nil, zone: String? = nil, listedAt: UnixTime? = nil) {
      self.id = id
      self.name = name
      self.zone = zone
      self.listedAt = listedAt
    }
  }

  /// The robots that have listed something, the one that did so last first. Nobody is asked.
  public func knownRobots() -> [KnownRobot] {
    lists.all.map { KnownRobot(id: $0.robot, name: $0.name, zone: $0.zone, listedAt: $0.listedAt) }
  }

  /// What a robot listed last, the newest first, as far as this app has asked for it: 5,000 recordings at most, of which
  /// each says when that was. Nobody is asked.
  ///
  /// - Parameter robot: `KnownRobot.id`.
  public func listedRecordings(ofRobot robot: String) -> [RobotRecording] { lists.list(of: [robot])?.recordings ?? [] }

  /// What is known of a robot by one of its names.
  func list(of robots: [String]) -> ListedRecordings? { lists.list(of: robots) }

  /// How long a list waits to be written: more pages may follow.
  private static let patience = Duration.seconds(2)

  /// Takes in what a robot has listed.
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
    // What cannot be written now is written with the next list.
    try? lists.save()
  }
}
