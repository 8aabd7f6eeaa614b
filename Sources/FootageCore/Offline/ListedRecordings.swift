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
    /// Of the page before it; nil of the first one.
    let last: RobotRecording?
    let recordings: [RobotRecording]
    /// Whether nothing comes behind it.
    let isLast: Bool
    let robot: RobotDescription?
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
    // What began at the same moment as a page's border may be on the other side of it.
    recordings.removeAll { known in
      page.query.includes(known) && page.last.map { known.startedAt < $0.startedAt } ?? true
        && (page.isLast || end.map { known.startedAt > $0 } ?? false)
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
    recordings.sort(by: Self.isBefore)
    if recordings.count > Self.limit { recordings.removeLast(recordings.count - Self.limit) }
  }

  /// What of it is asked for, behind where a list broke off.
  func rest(_ query: ListQuery, after last: RobotRecording?) -> [RobotRecording] {
    recordings.filter { recording in
      query.includes(recording) && last.map { Self.isBefore($0, recording) } ?? true
    }
  }

  private static func isBefore(_ one: RobotRecording, _ other: RobotRecording) -> Bool {
    one.startedAt == other.startedAt
      ? other.name.utf8.lexicographicallyPrecedes(one.name.utf8) : one.startedAt > other.startedAt
  }
}

extension ListQuery {
  /// Whether a recording is one of those that are asked for.
  func includes(_ recording: RobotRecording) -> Bool {
    if let camera, ExactName(camera) != ExactName(recording.camera) { return false }
    let start = UnixTimestamp(recording.startedAt)
    if let since, start < since { return false }
    if let until, start >= until { return false }
    switch (state, recording.state) {
    case (nil, _), (.ready, .ready), (.recording, .recording), (.refused, .refused): return true
    default: return false
    }
  }
}
