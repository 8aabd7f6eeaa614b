internal import FootageAPI
internal import FootageBase

/// What a robot listed last, as far as anybody has asked: what there is of it while it is away.
struct ListedRecordings: Hashable, Sendable {
  /// What the cache knows the robot by.
  let robot: String
  /// What people call it; nil where it does not say.
  var name: String?
  /// Its time zone, as the time zone database calls it; nil where it does not say.
  var zone: String?
  /// When it listed something last; nil where it never did.
  var listedAt: UnixTime?
  /// The newest first; each says when it was listed.
  private(set) var recordings: [RobotRecording] = []

  /// The state of a recording that has left the one in which it was listed.
  private static let unknown = RecordingState.other("unknown")

  /// Recordings that are remembered of one robot: of more the newest.
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

  /// A page of a list, which says of a stretch of time what there is, and so what there is no more.
  struct Page: Sendable {
    /// What was asked for.
    let query: ListQuery
    /// Where the page before it ended; nil of the first one.
    let end: End?
    let recordings: [RobotRecording]
    /// Whether nothing comes behind it.
    let isLast: Bool
    let robot: RobotDescription?
  }

  /// The end of a page. A robot orders those that began together by their files' paths, which it does not tell.
  struct End: Hashable, Sendable {
    let startedAt: UnixTime
    /// Those that began then, and were in the page or one before it.
    let names: Set<ExactName>

    /// - Parameters:
    ///   - page: what the robot listed.
    ///   - former: where the page before it ended.
    /// - Returns: nil where no page had anything.
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

    /// Whether a recording is listed behind it.
    func precedes(_ recording: RobotRecording) -> Bool {
      recording.startedAt == startedAt ? !names.contains(recording.id) : recording.startedAt < startedAt
    }
  }

  /// Takes in what the robot has listed.
  ///
  /// - Parameter now: when that was.
  mutating func take(_ page: Page, at now: UnixTime) {
    listedAt = now
    if let robot = page.robot {
      name = robot.name
      zone = robot.zone
    }
    let end = page.isLast ? nil : page.recordings.last?.startedAt
    let changes = page.query.conditions.contains(where: \.changes)
    recordings = recordings.compactMap { known in
      // What began at the same moment as a page's border may be on the other side of it.
      let isMissing =
        page.query.includes(known.facts) && page.end.map { known.startedAt < $0.startedAt } ?? true
        && (page.isLast || end.map { known.startedAt > $0 } ?? false)
      guard isMissing else { return known }
      // What was not ready when it was listed may only be in another state by now.
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

  /// What of it is asked for, behind where a list broke off.
  func rest(_ query: ListQuery, after end: End?) -> [RobotRecording] {
    recordings.filter { query.includes($0.facts) && end?.precedes($0) ?? true }
  }
}

extension RobotRecording {
  /// In lists, as near as an app can know it.
  fileprivate var place: ListCursor.Place { ListCursor.Place(startedAt: UnixTimestamp(startedAt), path: name) }

  var facts: RecordingFacts {
    RecordingFacts(
      robot: nil, camera: camera, startedAt: UnixTimestamp(startedAt), state: state.filter, duration: duration)
  }
}
