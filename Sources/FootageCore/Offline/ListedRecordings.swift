internal import FootageAPI
internal import FootageBase

/// The recordings in the lists that a robot sent last, as far as the app requested them. They are shown while the robot
/// cannot be reached.
struct ListedRecordings: Hashable, Sendable {
  /// The name by which the cache knows the robot.
  let robot: String
  /// The name that people give the robot; nil if the robot does not state it.
  var name: String?
  /// The robot's time zone, by its name in the time zone database; nil if the robot does not state it.
  var zone: String?
  /// The time at which the robot last sent a list; nil if it never did.
  var listedAt: UnixTime?
  /// The recordings, newest first. Each has the time at which it was listed.
  private(set) var recordings: [RobotRecording] = []

  /// The state of a recording that is no longer in the state in which it was listed.
  private static let unknown = RecordingState.other("unknown")

  /// The number of recordings that are remembered for one robot. If there are more, the newest are kept.
  static let limit = 5_000

  init(robot: String, name: String? = nil, zone: String? = nil, listedAt: UnixTime? = nil) {
    self.robot = robot
    self.name = name
    self.zone = zone
    self.listedAt = listedAt
  }

  init(
    robot: String, name: String?, zone: String?, listedAt: UnixTime?, recordings: [RobotRecording]
  ) {
    self.init(robot: robot, name: name, zone: zone, listedAt: listedAt)
    add(recordings)
  }

  /// A page of a list. It shows which recordings exist in a range of time, and so which remembered ones no longer
  /// exist.
  struct Page: Sendable {
    /// The query that was sent.
    let query: ListQuery
    /// The end of the previous page; nil for the first page.
    let end: End?
    let recordings: [RobotRecording]
    /// True if nothing follows the page.
    let isLast: Bool
    let robot: RobotDescription?
  }

  /// The end of a page. A robot orders recordings that began together by the paths of their files, which it does not
  /// reveal.
  struct End: Hashable, Sendable {
    let startedAt: UnixTime
    /// The names of the recordings that began at `startedAt`, in this page or an earlier one.
    let names: Set<ExactName>

    /// - Parameters:
    ///   - page: the recordings that the robot listed.
    ///   - former: the end of the previous page.
    /// - Returns: nil if no page had any recordings.
    init?(of page: [RobotRecording], after former: End?) {
      guard let last = page.last else {
        guard let former else { return nil }
        self = former
        return
      }
      startedAt = last.startedAt
      let names = Set(page.lazy.filter { $0.startedAt == last.startedAt }.map(\.id))
      self.names = former?.startedAt == startedAt ? names.union(former?.names ?? []) : names
    }

    /// Returns true if a recording is listed after this end.
    func precedes(_ recording: RobotRecording) -> Bool {
      recording.startedAt == startedAt ? !names.contains(recording.id) : recording.startedAt < startedAt
    }
  }

  /// Adds a page that the robot has listed.
  ///
  /// - Parameter now: the time at which it was listed.
  mutating func take(_ page: Page, at now: UnixTime) {
    listedAt = now
    if let robot = page.robot {
      name = robot.name
      zone = robot.zone
    }
    let end = page.isLast ? nil : page.recordings.last?.startedAt
    let changes = page.query.conditions.contains(where: \.changes)
    recordings = recordings.compactMap { known in
      // A recording that began at the same moment as a page's border may be on the other side of it.
      let isMissing =
        page.query.includes(known.facts) && page.end.map { known.startedAt < $0.startedAt } ?? true
        && (page.isLast || end.map { known.startedAt > $0 } ?? false)
      guard isMissing else { return known }
      // A recording that was not ready when it was listed may only have changed its state.
      guard changes, known.state != .ready else { return nil }
      var known = known
      known.state = Self.unknown
      return known
    }
    add(
      page.recordings.map { recording in
        var listed = recording
        listed.listedAt = now
        return listed
      })
  }

  private mutating func add(_ new: [RobotRecording]) {
    let names = Set(new.map(\.id))
    recordings.removeAll { names.contains($0.id) }
    recordings += new
    recordings.sort { $0.place < $1.place }
    if recordings.count > Self.limit { recordings.removeLast(recordings.count - Self.limit) }
  }

  /// Returns the recordings that match a query and follow the point at which the robot's list was interrupted.
  func rest(_ query: ListQuery, after end: End?) -> [RobotRecording] {
    recordings.filter { query.includes($0.facts) && end?.precedes($0) ?? true }
  }
}

extension RobotRecording {
  /// The position of the recording in lists, as precisely as an app can know it.
  fileprivate var place: ListCursor.Place { ListCursor.Place(startedAt: UnixTimestamp(startedAt), path: name) }

  var facts: RecordingFacts {
    RecordingFacts(
      robot: nil, camera: camera, startedAt: UnixTimestamp(startedAt), state: state.filter, duration: duration)
  }
}
