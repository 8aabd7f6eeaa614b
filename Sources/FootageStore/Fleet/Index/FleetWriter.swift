internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// A writer of the index. It has one connection and belongs to one owner. All of its methods block.
final class FleetWriter {
  private let database: Database
  private let selectVersion: Statement
  private let selectShown: Statement
  private let selectBest: Statement
  private let hide: Statement
  private let show: Statement
  private let insertRow: Statement
  private let deleteRow: Statement
  private let countInto: Statement
  private let recount: Statement
  private let insertSigner: Statement
  private let selectSigner: Statement
  private var signers: [PublicKeyPin: Int64] = [:]

  /// Opens the index. Creates a new one if there is none, or if the existing one cannot be used.
  ///
  /// - Throws: `SQLiteError`.
  init(path: String) throws(SQLiteError) {
    database = try Database(path: path, of: FleetSchema.owner)
    guard try database.migrate(FleetSchema.migrations) else {
      throw SQLiteError(code: 26, message: "it was written by a newer version of footage", sql: nil, path: path)
    }
    let places = Array(repeating: "?", count: FleetSchema.insertedCount).joined(separator: ", ")
    selectVersion = try database.prepare("SELECT id, shown, series FROM recordings WHERE name = ? AND tag = ?")
    selectShown = try database.prepare(
      "SELECT id, signer IS NOT NULL, modified_ns, tag, series FROM recordings WHERE name = ? AND shown = 1")
    selectBest = try database.prepare(
      """
      SELECT id, series FROM recordings WHERE name = ? ORDER BY signer IS NOT NULL DESC, modified_ns DESC, tag DESC LIMIT 1
      """)
    hide = try database.prepare("UPDATE recordings SET shown = 0 WHERE id = ?")
    show = try database.prepare("UPDATE recordings SET shown = 1 WHERE id = ?")
    insertRow = try database.prepare("INSERT INTO recordings (\(FleetSchema.insertedColumns)) VALUES (\(places))")
    deleteRow = try database.prepare("DELETE FROM recordings WHERE id = ?")
    // A series that is recounted may turn out empty, and then its times mean nothing.
    countInto = try database.prepare(
      """
      INSERT INTO series (name, robot, refused, count, from_ms, to_ms, longest_ms, codec, codec_ms, last_key) \
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET count = count + excluded.count, \
      from_ms = CASE count WHEN 0 THEN excluded.from_ms ELSE min(from_ms, excluded.from_ms) END, \
      to_ms = CASE count WHEN 0 THEN excluded.to_ms ELSE max(to_ms, excluded.to_ms) END, \
      longest_ms = max(longest_ms, excluded.longest_ms), \
      codec = CASE WHEN excluded.codec_ms > codec_ms OR excluded.codec_ms = codec_ms AND excluded.codec < codec \
      THEN excluded.codec ELSE codec END, \
      codec_ms = max(codec_ms, excluded.codec_ms), last_key = max(last_key, excluded.last_key)
      """)
    // `last_key`, where the search for news begins, stays: one can list from a key that no longer exists.
    recount = try database.prepare(
      """
      UPDATE series SET (count, from_ms, to_ms, longest_ms) = (SELECT count(*), coalesce(min(start_ms), 0), \
      coalesce(max(end_ms), 0), coalesce(max(end_ms - start_ms), 0) FROM recordings \
      WHERE recordings.series = series.name AND shown = 1), \
      codec = (SELECT video_codec FROM recordings WHERE recordings.series = series.name AND shown = 1 \
      AND video_codec IS NOT NULL ORDER BY start_ms DESC, video_codec LIMIT 1), \
      codec_ms = coalesce((SELECT start_ms FROM recordings WHERE recordings.series = series.name AND shown = 1 \
      AND video_codec IS NOT NULL ORDER BY start_ms DESC LIMIT 1), \(Int64.min)) WHERE name = ?
      """)
    insertSigner = try database.prepare("INSERT OR IGNORE INTO signers (pin) VALUES (?)")
    selectSigner = try database.prepare("SELECT id FROM signers WHERE pin = ?")
  }

  // MARK: Versions

  /// Returns the versions that have no row.
  func unknown(of versions: [VersionKey]) throws(SQLiteError) -> [VersionKey] {
    var unknown: [VersionKey] = []
    for version in versions {
      guard try selectVersion.integer(.text(version.name), .text(version.tag)) == nil else { continue }
      unknown.append(version)
    }
    return unknown
  }

  /// Adds the rows whose versions are not in the index yet.
  ///
  /// - Returns: the number of rows that were added.
  func add(_ rows: [FleetRow]) throws(SQLiteError) -> Int {
    try database.write { () throws(SQLiteError) -> Int in try addRows(rows) }
  }

  /// Adds the rows of a robot whose versions are not in the index yet. Does nothing if the robot was removed from the
  /// list of robots or has different keys now.
  func add(_ rows: [FleetRow], of robot: FleetRobot) throws(SQLiteError) -> Int {
    try database.write { () throws(SQLiteError) -> Int in
      let count = try database.prepare("SELECT count(*) FROM robots WHERE name = ? AND pins = ?")
        .integer(.text(robot.name), .text(Self.text(robot.pins)))
      return count == 1 ? try addRows(rows) : 0
    }
  }

  private static func text(_ pins: [PublicKeyPin]) -> String {
    pins.map(\.description).sorted().joined(separator: " ")
  }

  private func addRows(_ rows: [FleetRow]) throws(SQLiteError) -> Int {
    var added = 0
    // The series that have lost a recording are recounted, once each.
    var changed: Set<[UInt8]> = []
    for row in rows {
      guard try selectVersion.integer(.text(row.name), .text(row.tag)) == nil else { continue }
      if let loser = try add(row) { changed.insert(Array(loser.utf8)) }
      added += 1
    }
    try recount(changed)
    return added
  }

  private func recount(_ changed: Set<[UInt8]>) throws(SQLiteError) {
    for series in changed { try recount.run(.text(String(decoding: series, as: UTF8.self))) }
  }

  /// - Returns: the series of the version that the row replaces in the list; nil if it replaces none.
  private func add(_ row: FleetRow) throws(SQLiteError) -> String? {
    var shown: (id: Int64, rank: Rank, series: String)?
    try selectShown.query([.text(row.name)]) { found in
      guard let id = found.integer(0), let tag = found.text(3), let series = found.text(4) else { return }
      shown = (id, Rank(isSigned: found.integer(1) == 1, modified: found.integer(2) ?? 0, tag: tag), series)
    }
    let rank = Rank(isSigned: !row.isRefused, modified: row.modifiedNanoseconds, tag: row.tag)
    let isShown = shown.map { $0.rank < rank } ?? true
    var signer: Int64?
    if let pin = row.signer { signer = try number(of: pin) }
    try insertRow.run(row.values(isShown: isShown, signer: signer))
    guard isShown else { return nil }
    if let shown { try hide.run(.integer(shown.id)) }
    let start = row.item.startedAt.milliseconds
    let codec = row.item.video?.codec
    try countInto.run(
      .text(row.series), .text(row.robot), .integer(row.isRefused ? 1 : 0), .integer(1), .integer(start),
      .integer(row.end.milliseconds), .integer(row.end.milliseconds - start), SQLiteValue(codec),
      .integer(codec == nil ? .min : start), .text("\(row.name)/\(row.tag)"))
    return shown?.series
  }

  /// The rank that decides which of several versions with the same name is shown: a version that its robot has signed
  /// ranks above a refused one, and among equals the one that was written last.
  private struct Rank: Comparable {
    let isSigned: Bool
    let modified: Int64
    let tag: String

    static func < (one: Rank, other: Rank) -> Bool {
      if one.isSigned != other.isSigned { return other.isSigned }
      if one.modified != other.modified { return one.modified < other.modified }
      return one.tag.utf8.lexicographicallyPrecedes(other.tag.utf8)
    }
  }

  /// Removes versions that the store no longer has.
  func remove(_ versions: [VersionKey]) throws(SQLiteError) {
    guard !versions.isEmpty else { return }
    try database.write { () throws(SQLiteError) in try removeRows(versions) }
  }

  private func removeRows(_ versions: [VersionKey]) throws(SQLiteError) {
    var changed: Set<[UInt8]> = []
    for version in versions {
      var found: (id: Int64, isShown: Bool, series: String)?
      try selectVersion.query([.text(version.name), .text(version.tag)]) { row in
        if let id = row.integer(0), let series = row.text(2) { found = (id, row.integer(1) == 1, series) }
      }
      guard let found else { continue }
      try deleteRow.run(.integer(found.id))
      guard found.isShown else { continue }
      changed.insert(Array(found.series.utf8))
      var next: (id: Int64, series: String)?
      try selectBest.query([.text(version.name)]) { row in
        if let id = row.integer(0), let series = row.text(1) { next = (id, series) }
      }
      guard let next else { continue }
      try show.run(.integer(next.id))
      changed.insert(Array(next.series.utf8))
      // That series may not have been counted before.
      if next.series != found.series { try ensure(next.series, like: version) }
    }
    try recount(changed)
    try database.execute("DELETE FROM series WHERE count = 0")
  }

  private func ensure(_ series: String, like version: VersionKey) throws(SQLiteError) {
    let robot = String(version.name.prefix { $0 != "/" })
    try countInto.run(
      .text(series), .text(robot), .integer(series.utf8.last == UInt8(ascii: "/") ? 1 : 0), .integer(0), .integer(0),
      .integer(0), .integer(0), .null, .integer(.min), .text("\(version.name)/\(version.tag)"))
  }

  private func number(of pin: PublicKeyPin) throws(SQLiteError) -> Int64? {
    if let known = signers[pin] { return known }
    try insertSigner.run(.text(pin.description))
    let number = try selectSigner.integer(.text(pin.description))
    signers[pin] = number
    return number
  }

  // MARK: Robots

  /// Sets the robots of the index. Removes the recordings of other robots, the recordings signed by a key that no
  /// longer belongs to their robot, and those that were refused because the robot's list lacked their key.
  ///
  /// - Returns: true if anything has changed.
  func use(_ robots: [FleetRobot]) throws(SQLiteError) -> Bool {
    var known: [[UInt8]: String] = [:]
    try database.prepare("SELECT name, pins FROM robots").query([]) { row in
      if let name = row.text(0), let pins = row.text(1) { known[Array(name.utf8)] = pins }
    }
    var isChanged = false
    try database.write { () throws(SQLiteError) in
      let upsert = try database.prepare("INSERT OR REPLACE INTO robots (name, pins, listed_ms) VALUES (?, ?, NULL)")
      for robot in robots {
        let pins = Self.text(robot.pins)
        let former = known.removeValue(forKey: Array(robot.name.utf8))
        guard former != pins else { continue }
        if former != nil { try removeRows(try unsigned(of: robot)) }
        try upsert.run(.text(robot.name), .text(pins))
        isChanged = true
      }
      for bytes in known.keys {
        let name = String(decoding: bytes, as: UTF8.self)
        let (first, end) = Self.names(of: name)
        try database.prepare("DELETE FROM recordings WHERE name >= ? AND name < ?").run(.text(first), .text(end))
        try database.prepare("DELETE FROM series WHERE robot = ?").run(.text(name))
        try database.prepare("DELETE FROM robots WHERE name = ?").run(.text(name))
        isChanged = true
      }
    }
    return isChanged
  }

  /// Returns the bounds of all names of a robot's recordings. The names begin with `ROBOT/`, and end before `ROBOT0`,
  /// because `0` is the character after the slash.
  private static func names(of robot: String) -> (first: String, end: String) { ("\(robot)/", "\(robot)0") }

  private func unsigned(of robot: FleetRobot) throws(SQLiteError) -> [VersionKey] {
    let (first, end) = Self.names(of: robot.name)
    var versions: [VersionKey] = []
    try database.prepare(
      "SELECT name, tag, (SELECT pin FROM signers WHERE id = signer) FROM recordings WHERE name >= ? AND name < ?"
    ).query([.text(first), .text(end)]) { row in
      guard let name = row.text(0), let tag = row.text(1) else { return }
      let pin = row.text(2).flatMap { PublicKeyPin($0) }
      if pin.map({ !robot.pins.contains($0) }) ?? true { versions.append(VersionKey(name: name, tag: tag)) }
    }
    return versions
  }

  /// Passes all versions of a robot's recordings to `each`.
  func versions(of robot: String, _ each: (VersionKey) -> Void) throws(SQLiteError) {
    let (first, end) = Self.names(of: robot)
    try database.prepare("SELECT name, tag FROM recordings WHERE name >= ? AND name < ?")
      .query([.text(first), .text(end)]) { row in
        if let name = row.text(0), let tag = row.text(1) { each(VersionKey(name: name, tag: tag)) }
      }
  }

  /// Returns the time at which all objects of a robot in the store were last listed, in milliseconds since 1970; nil if
  /// they never were.
  func listed(_ robot: String) throws(SQLiteError) -> Int64? {
    try database.prepare("SELECT listed_ms FROM robots WHERE name = ?").integer(.text(robot))
  }

  /// Records that all objects of a robot were listed. Does nothing if the robot has different keys now.
  func noteListed(_ robot: FleetRobot, at milliseconds: Int64) throws(SQLiteError) {
    try database.prepare("UPDATE robots SET listed_ms = ? WHERE name = ? AND pins = ?")
      .run(.integer(milliseconds), .text(robot.name), .text(Self.text(robot.pins)))
  }

  /// Returns the last known key of each of a robot's series. New recordings have keys after it.
  func lastKeys(of robot: String) throws(SQLiteError) -> [String] {
    var keys: [String] = []
    try database.prepare("SELECT last_key FROM series WHERE robot = ?").query([.text(robot)]) { row in
      if let key = row.text(0) { keys.append(key) }
    }
    return keys
  }
}
