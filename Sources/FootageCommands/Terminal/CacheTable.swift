internal import FootageCore
internal import FootageBase

/// The cached recordings, as a table for a terminal or as JSON.
enum CacheTable {
  /// The smallest width of a name. A shorter part would not identify the recording.
  private static let leastName = 8

  /// - Parameters:
  ///   - robotName: returns the name that people use for a robot, from its name in the cache.
  ///   - zone: the time zone of the times that are shown.
  ///   - columns: the width of the terminal; nil if the output has no limited width, so that nothing is shortened or
  ///     left out.
  static func text(
    _ entries: [MediaCache.Entry], robotName: (String) -> String, in zone: TimeZoneRules, columns: Int?
  ) -> String {
    guard !entries.isEmpty else { return "the cache is empty\n" }
    let place = columns == nil ? zone.name : String(zone.name.split(separator: "/").last ?? "UTC")
    typealias Column = TextTable.Column
    let name = Column("NAME", entries.map { Terminal.printable($0.key.name) })
    let robot = Column("ROBOT", entries.map { Terminal.printable(robotName($0.key.robot)) })
    let hasSeveralRobots = Set(entries.map(\.key.robot)).count > 1
    let started = Column(
      "STARTED (\(place))",
      entries.map { $0.recording.map { MomentText.text(UnixTimestamp($0.startedAt), in: zone) } ?? "–" })
    let length = Column(
      "LENGTH", entries.map { $0.recording?.duration.map(RecordingTable.length) ?? "–" }, isNumber: true)
    let size = Column("SIZE", entries.map { RecordingTable.size($0.version.length) }, isNumber: true)
    let state = Column("CACHED", entries.map(state))
    let file = Column("FILE", entries.map { Terminal.printable($0.path) })
    let front = [name] + (hasSeveralRobots ? [robot] : [])
    guard let columns else { return TextTable(columns: front + [started, length, size, state, file]).text }
    // Some terminals begin a new line after their last column.
    let room = max(0, columns - 1)
    // The least important columns are dropped first. The path of a file is only for output without a terminal, such as
    // to programs.
    let choices = [[started, length, size, state], [started, size, state], [size, state], [state]]
    let wantedName = min(name.width, max(leastName, room / 3))
    let fitting = choices.first { choice in
      TextTable(columns: front + choice).width - name.width + wantedName <= room
    }
    var table = TextTable(columns: front + (fitting ?? [state]))
    // The remaining width belongs to the name, and finally to the robot.
    table.columns[0].width = max(leastName, min(name.width, room - (table.width - name.width)))
    if hasSeveralRobots { table.columns[1].width = max(0, min(robot.width, room - (table.width - robot.width))) }
    return table.text
  }

  private static func state(_ entry: MediaCache.Entry) -> String {
    let share = entry.version.length == 0 ? 100 : entry.cachedBytes / max(1, entry.version.length / 100)
    return (entry.isComplete ? "complete" : "\(min(99, share))%") + (entry.isKept ? ", kept" : "")
  }

  /// Returns the fields of each recording as its robot listed them, together with the fields that the cache sets
  /// itself.
  static func json(_ entries: [MediaCache.Entry]) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("cached") { json in
        json.array(entries) { json, entry in write(entry, into: &json) }
      }
    }
    return json.text + "\n"
  }

  /// The fields that the cache sets itself, even if the robot has sent such fields.
  private static let own: Set<String> = [
    "name", "robot", "etag", "size", "cachedBytes", "complete", "kept", "keptOnRobot", "path",
  ]

  private static func write(_ entry: MediaCache.Entry, into json: inout JSONWriter) {
    var listed: [String: JSONValue] = [:]
    if let text = entry.itemJSON, case .object(let members)? = JSONValue(Array(text.utf8)) { listed = members }
    json.object { json in
      json.member("name", entry.key.name)
      for (name, value) in listed.sorted(by: { $0.key < $1.key }) where !own.contains(name) {
        json.member(named: name) { json in json.value(value) }
      }
      json.member("etag", entry.version.tag)
      json.member("size", entry.version.length)
      if let isKept = listed["kept"]?.bool { json.member("keptOnRobot", isKept) }
      json.member("robot", entry.key.robot)
      json.member("path", entry.path)
      json.member("cachedBytes", entry.cachedBytes)
      json.member("complete", entry.isComplete)
      json.member("kept", entry.isKept)
    }
  }
}
