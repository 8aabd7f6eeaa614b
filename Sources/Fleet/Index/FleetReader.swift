internal import FootageAPI
internal import Formats
internal import RecordingLibrary
internal import SQLite

/// Reads the index: one connection, which belongs to one owner. Everything here blocks.
///
/// Nothing is kept in memory but a few pages of the database, however many recordings there are.
final class FleetReader {
  private let database: Database
  private var statements: [String: Statement] = [:]

  init(path: String) throws(SQLiteError) { database = try Database(path: path, access: .readOnly) }

  private func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let known = statements[sql] { return known }
    let made = try database.prepare(sql)
    statements[sql] = made
    return made
  }

  private func rows(
    _ condition: String, _ arguments: [SQLiteValue], now: UnixTimestamp
  ) throws(SQLiteError) -> [FleetRow] {
    var rows: [FleetRow] = []
    try statement("SELECT \(FleetSchema.columns) FROM recordings WHERE \(condition)").query(arguments) { row in
      if let found = FleetRow(row, now: now) { rows.append(found) }
    }
    return rows
  }

  // MARK: One

  /// What is listed under a name.
  func row(named name: String, now: UnixTimestamp) throws(SQLiteError) -> FleetRow? {
    try rows("name = ? AND shown = 1", [.text(name)], now: now).first
  }

  /// Versions of this tag, listed or not.
  func rows(tagged tag: String, now: UnixTimestamp) throws(SQLiteError) -> [FleetRow] {
    try rows("tag = ? AND signer IS NOT NULL LIMIT \(Self.mostOfOneTag)", [.text(tag)], now: now)
  }

  /// Copies of one file, on however many robots.
  private static let mostOfOneTag = 64

  // MARK: The list

  /// What is listed in one row: a camera, or what a robot is refused.
  struct Series {
    let name: String
    let robot: String
    let isRefused: Bool
    let count: Int
    let from: UnixTimestamp
    let to: UnixTimestamp
    let codec: String?

    /// As it is asked for and shown.
    var camera: String? { isRefused ? nil : name }

    func isWanted(by query: ListQuery) -> Bool {
      if let robot = query.robot, !robot.utf8.elementsEqual(self.robot.utf8) { return false }
      if let camera = query.camera, isRefused || !camera.utf8.elementsEqual(name.utf8) { return false }
      if let state = query.state, (state == .refused) != isRefused { return false }
      return true
    }
  }

  func series() throws(SQLiteError) -> [Series] {
    var all: [Series] = []
    let select = "SELECT name, robot, refused, count, from_ms, to_ms, codec FROM series ORDER BY name"
    try statement(select).query([]) { row in
      guard let name = row.text(0), let robot = row.text(1), let from = row.integer(4), let to = row.integer(5) else {
        return
      }
      all.append(
        Series(
          name: name, robot: robot, isRefused: row.integer(2) == 1, count: Int(row.integer(3) ?? 0),
          from: UnixTimestamp(milliseconds: from), to: UnixTimestamp(milliseconds: to), codec: row.text(6)))
    }
    return all
  }

  /// One page of the list, newest first, in the order of a robot's: of those that begin together the name decides.
  func page(
    of query: ListQuery, from cameras: CameraSelection, now: UnixTimestamp
  ) throws(SQLiteError) -> (rows: [FleetRow], next: ListCursor?) {
    let limit = min(max(query.limit, 1), LibraryLimits.pageLength)
    var rows: [FleetRow]
    switch try scope(of: query, cameras) {
    case .nothing: rows = []
    case .everything: rows = try page(of: query, "", [], limit + 1, now: now)
    case .few(let names):
      rows = []
      for name in names { rows += try page(of: query, "series = ? AND ", [.text(name)], limit + 1, now: now) }
      if names.count > 1 { rows.sort(by: Self.precedes) }
    case .many(let names): rows = try filtered(by: names, of: query, limit + 1, now: now)
    }
    guard rows.count > limit else { return (rows, nil) }
    rows.removeSubrange(limit...)
    return (rows, rows.last.map { Self.cursor(behind: $0) })
  }

  private static func cursor(behind row: FleetRow) -> ListCursor {
    ListCursor(ListCursor.Place(startedAt: row.item.startedAt, path: row.name))
  }

  private static func precedes(_ one: FleetRow, _ other: FleetRow) -> Bool {
    one.item.startedAt == other.item.startedAt
      ? one.name.utf8.lexicographicallyPrecedes(other.name.utf8) : one.item.startedAt > other.item.startedAt
  }

  private enum Scope {
    case nothing
    case everything
    /// So few that each is looked at by itself.
    case few([String])
    /// As bytes: two spellings of a letter are equal strings, and two cameras.
    case many(Set<[UInt8]>)
  }

  /// Of more than so many cameras the list is read through, and not camera by camera.
  private static let fewSeries = 16

  private func scope(of query: ListQuery, _ cameras: CameraSelection) throws(SQLiteError) -> Scope {
    // Nothing is in a store that is not whole.
    if query.state == .recording { return .nothing }
    if cameras.isEverything, query.robot == nil, query.camera == nil, query.state != .refused { return .everything }
    let names = try series().filter { $0.isWanted(by: query) && cameras.contains(camera: $0.camera) }.map(\.name)
    if names.isEmpty { return .nothing }
    return names.count <= Self.fewSeries ? .few(names) : .many(Set(names.map { Array($0.utf8) }))
  }

  /// - Parameter condition: with its `AND`.
  private func page(
    of query: ListQuery, _ condition: String, _ first: [SQLiteValue], _ limit: Int, now: UnixTimestamp
  ) throws(SQLiteError) -> [FleetRow] {
    var (condition, arguments) = (condition + "shown = 1", first)
    if let place = query.after?.place {
      condition += " AND start_ms <= ? AND (start_ms < ? OR name > ?)"
      let start = SQLiteValue.integer(place.startedAt.milliseconds)
      arguments += [start, start, .text(place.path)]
    }
    if let since = query.since {
      condition += " AND start_ms >= ?"
      arguments.append(.integer(since.milliseconds))
    }
    if let until = query.until {
      condition += " AND start_ms < ?"
      arguments.append(.integer(until.milliseconds))
    }
    if query.state == .ready { condition += " AND signer IS NOT NULL" }
    return try rows("\(condition) ORDER BY start_ms DESC, name LIMIT ?", arguments + [.integer(Int64(limit))], now: now)
  }

  private func filtered(
    by names: Set<[UInt8]>, of query: ListQuery, _ limit: Int, now: UnixTimestamp
  ) throws(SQLiteError) -> [FleetRow] {
    var query = query
    var found: [FleetRow] = []
    while found.count < limit {
      let rows = try page(of: query, "", [], LibraryLimits.pageLength, now: now)
      found += rows.lazy.filter { names.contains(Array($0.series.utf8)) }
      guard rows.count == LibraryLimits.pageLength, let last = rows.last else { break }
      query.after = Self.cursor(behind: last)
    }
    return Array(found.prefix(limit))
  }

  // MARK: Cameras

  /// What there is of a camera that reaches into a time, in the order in which it begins.
  ///
  /// - Parameter limit: of rows.
  /// - Returns: nil where there is no such camera.
  func rows(
    ofCamera camera: String, in range: Range<UnixTimestamp>, limit: Int, now: UnixTimestamp
  ) throws(SQLiteError) -> [FleetRow]? {
    let select = "SELECT longest_ms FROM series WHERE name = ? AND refused = 0"
    guard let longest = try statement(select).integer(.text(camera)) else { return nil }
    let (lower, upper) = (range.lowerBound, range.upperBound)
    return try rows(
      """
      series = ? AND shown = 1 AND start_ms < ? AND start_ms >= ? AND (start_ms >= ? OR end_ms > ?) \
      ORDER BY start_ms, name DESC LIMIT ?
      """,
      [
        .text(camera), .integer(upper.milliseconds), .integer(lower.advanced(byMilliseconds: -longest).milliseconds),
        .integer(lower.milliseconds), .integer(lower.milliseconds), .integer(Int64(limit)),
      ], now: now)
  }

  /// The nearest that plays before a time without footage, and the nearest behind it.
  func rowsAround(
    _ range: Range<UnixTimestamp>, ofCamera camera: String, now: UnixTimestamp
  ) throws(SQLiteError) -> (before: FleetRow?, after: FleetRow?) {
    let before = try rows(
      "series = ? AND shown = 1 AND shift_s IS NOT NULL AND start_ms < ? ORDER BY start_ms DESC, name LIMIT 1",
      [.text(camera), .integer(range.lowerBound.milliseconds)], now: now)
    let after = try rows(
      "series = ? AND shown = 1 AND shift_s IS NOT NULL AND start_ms >= ? ORDER BY start_ms, name DESC LIMIT 1",
      [.text(camera), .integer(range.upperBound.milliseconds)], now: now)
    return (before.first, after.first)
  }
}
