internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// A reader of the index. It has one connection and belongs to one owner. All of its methods block.
///
/// It keeps only a few pages of the database in memory, however many recordings there are.
final class FleetReader {
  private let database: Database
  private var statements: [String: Statement] = [:]
  /// The keys of the signers by their numbers. No number is ever given to another key.
  private var signers: [Int64: PublicKeyPin] = [:]

  /// The part of the database that a connection keeps in memory, in KiB. It is enough for a camera's day, whose
  /// recordings are scattered over the database.
  private static let cacheKiB = 8_192

  init(path: String) throws(SQLiteError) {
    database = try Database(path: path, access: .readOnly)
    try database.execute("PRAGMA cache_size = -\(Self.cacheKiB)")
  }

  private func statement(_ sql: String) throws(SQLiteError) -> Statement {
    if let known = statements[sql] { return known }
    let made = try database.prepare(sql)
    statements[sql] = made
    return made
  }

  /// - Parameter cameras: a row of another camera is searched for but not read, so the call takes as long as for a row
  ///   that does not exist.
  private func rows(
    _ condition: String, _ arguments: [SQLiteValue], from cameras: CameraSelection = .all, now: UnixTimestamp
  ) throws(SQLiteError) -> [FleetRow] {
    let statement = try statement("SELECT \(FleetSchema.columns) FROM recordings WHERE \(condition)")
    var rows: [FleetRow] = []
    var isSignerNew = false
    let read = { (row: borrowing Row) in
      if !cameras.isEverything {
        let camera = row.integer(FleetSchema.signerColumn) == nil ? nil : row.text(FleetSchema.seriesColumn)
        guard cameras.contains(camera: camera) else { return }
      }
      if let signer = row.integer(FleetSchema.signerColumn), self.signers[signer] == nil { isSignerNew = true }
      if let found = FleetRow(row, signers: self.signers, now: now) { rows.append(found) }
    }
    try statement.query(arguments, read)
    guard isSignerNew else { return rows }
    try readSigners()
    rows = []
    try statement.query(arguments, read)
    return rows
  }

  /// Reads the signers' keys. Each key is read only once, however many recordings it has signed.
  private func readSigners() throws(SQLiteError) {
    try statement("SELECT id, pin FROM signers").query([]) { row in
      guard let id = row.integer(0), let pin = row.text(1).flatMap({ PublicKeyPin($0) }) else { return }
      signers[id] = pin
    }
  }

  // MARK: Single versions

  /// Returns the recording that is listed under a name.
  func row(named name: String, from cameras: CameraSelection, now: UnixTimestamp) throws(SQLiteError) -> FleetRow? {
    try rows("name = ? AND shown = 1", [.text(name)], from: cameras, now: now).first
  }

  /// Returns the version whose film has this key, listed or not.
  func row(film key: FilmKey, from cameras: CameraSelection, now: UnixTimestamp) throws(SQLiteError) -> FleetRow? {
    try rows("film = ? LIMIT 1", [.blob(key.bytes)], from: cameras, now: now).first
  }

  /// Returns true if there is a signed version of a recording, listed or not.
  func has(_ name: String, version tag: VersionTag) throws(SQLiteError) -> Bool {
    let select = "SELECT count(*) FROM recordings WHERE name = ? AND tag = ? AND signer IS NOT NULL"
    return try statement(select).integer(.text(name), .text(tag.text)) ?? 0 > 0
  }

  // MARK: The list

  /// The recordings that are counted in one row of `series`: those of a camera, or the refused recordings of a robot.
  struct Series {
    let name: String
    let robot: String
    let isRefused: Bool
    let count: Int
    let from: UnixTimestamp
    let to: UnixTimestamp
    let codec: String?

    /// The camera's name in requests and answers; nil for refused recordings.
    var camera: String? { isRefused ? nil : name }
  }

  /// Returns the series that may have recordings to list, in the order of their names.
  ///
  /// - Parameter query: the query whose robot, camera and state the series match. At least one recording of each series
  ///   lasts as long as the query demands.
  func series(for query: ListQuery = ListQuery()) throws(SQLiteError) -> [Series] {
    var (condition, arguments): (String, [SQLiteValue]) = ("count > 0", [])
    for wanted in query.conditions {
      switch wanted {
      case .robot(let robot):
        condition += " AND robot = ?"
        arguments.append(.text(robot))
      case .camera(let camera):
        condition += " AND name = ? AND refused = 0"
        arguments.append(.text(camera))
      case .state(let state): condition += " AND refused = \(state == .refused ? 1 : 0)"
      case .lasting(let seconds):
        condition += " AND longest_ms >= ?"
        arguments.append(.integer(seconds.milliseconds))
      // These apply to recordings, not to series.
      case .since, .until: break
      }
    }
    var all: [Series] = []
    let select =
      "SELECT name, robot, refused, count, from_ms, to_ms, codec FROM series WHERE \(condition) ORDER BY name"
    try statement(select).query(arguments) { row in
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

  /// Returns one page of the list, newest first, in the same order as a robot's. Recordings that begin together are
  /// ordered by name.
  func page(
    of query: ListQuery, from cameras: CameraSelection, now: UnixTimestamp
  ) throws(SQLiteError) -> (rows: [FleetRow], next: ListCursor?) {
    // All of it comes from one state of the index.
    try database.read { () throws(SQLiteError) in
      let limit = min(max(query.limit, 1), LibraryLimits.pageLength)
      var rows: [FleetRow]
      switch try scope(of: query, cameras, limit + 1) {
      case .nothing: rows = []
      case .everything:
        let (condition, arguments) = Self.condition(of: query)
        rows = try self.rows("\(condition) LIMIT ?", arguments + [.integer(Int64(limit + 1))], now: now)
      case .few(let names): rows = try self.rows(at: try merged(names, of: query, limit + 1), now: now)
      case .many(let names): rows = try self.rows(at: try filtered(by: names, of: query, limit + 1), now: now)
      }
      guard rows.count > limit else { return (rows, nil) }
      rows.removeSubrange(limit...)
      return (rows, rows.last.map { ListCursor(ListCursor.Place(startedAt: $0.item.startedAt, path: $0.name)) })
    }
  }

  private enum Scope {
    case nothing
    case everything
    /// There are so few series that each is read separately.
    case few([String])
    /// The names of the series as bytes, because two spellings of a letter are equal strings but belong to different
    /// cameras.
    case many(Set<[UInt8]>)
  }

  /// The cost of finding the first few positions of a series, as the number of positions that could be read in sequence
  /// instead.
  private static let seekCost = 16

  /// - Parameter limit: the number of rows.
  private func scope(
    of query: ListQuery, _ cameras: CameraSelection, _ limit: Int
  ) throws(SQLiteError) -> Scope {
    // A store holds only recordings that are whole.
    if query.state == .recording { return .nothing }
    if cameras.isEverything, query.robot == nil, query.camera == nil, query.state != .refused, query.lasting == nil {
      return .everything
    }
    let wanted = try series(for: query).filter { cameras.contains(camera: $0.camera) }
    if wanted.isEmpty { return .nothing }
    let count = wanted.reduce(0) { $0 + $1.count }
    let all = Int(try statement("SELECT sum(count) FROM series").integer() ?? 0)
    // The number of rows of the whole list that have to be read to find `limit` of the wanted ones.
    let (product, overflows) = limit.multipliedReportingOverflow(by: all)
    if overflows || wanted.count * Self.seekCost <= product / max(count, 1) { return .few(wanted.map(\.name)) }
    return .many(Set(wanted.map { Array($0.name.utf8) }))
  }

  /// Returns the condition and the order, as SQL, for the rows of a page and all rows after them.
  private static func condition(of query: ListQuery, in series: String? = nil) -> (String, [SQLiteValue]) {
    var (condition, arguments): (String, [SQLiteValue]) = ("shown = 1", [])
    if let series {
      condition += " AND series = ?"
      arguments.append(.text(series))
    }
    if let place = query.after?.place {
      condition += " AND start_ms <= ? AND (start_ms < ? OR name > ?)"
      let start = SQLiteValue.integer(place.startedAt.milliseconds)
      arguments += [start, start, .text(place.path)]
    }
    for wanted in query.conditions {
      switch wanted {
      case .since(let moment):
        condition += " AND start_ms >= ?"
        arguments.append(.integer(moment.milliseconds))
      case .until(let moment):
        condition += " AND start_ms < ?"
        arguments.append(.integer(moment.milliseconds))
      case .lasting(let seconds):
        condition += " AND end_ms - start_ms >= ?"
        arguments.append(.integer(seconds.milliseconds))
      // A series is in one state, so that only a scan of the whole list needs this. Refused recordings are found by
      // their series.
      case .state(let state): if state == .ready, series == nil { condition += " AND signer IS NOT NULL" }
      // These decide which series are read.
      case .robot, .camera: break
      }
    }
    return ("\(condition) ORDER BY start_ms DESC, name", arguments)
  }

  // MARK: The list of some cameras

  /// The position of a row in the list.
  private struct Place {
    let id: Int64
    let listed: ListCursor.Place

    var cursor: ListCursor { ListCursor(listed) }
  }

  private func rows(at places: [Place], now: UnixTimestamp) throws(SQLiteError) -> [FleetRow] {
    var found: [FleetRow] = []
    for place in places { found += try rows("id = ?", [.integer(place.id)], now: now) }
    return found
  }

  /// Passes positions to `each` in the order of the list, each with its series as bytes.
  private func places(
    of query: ListQuery, in series: String? = nil, _ limit: Int, _ each: (Place, [UInt8]) -> Void
  ) throws(SQLiteError) {
    let (condition, arguments) = Self.condition(of: query, in: series)
    let select = "SELECT id, start_ms, name, CAST(series AS BLOB) FROM recordings WHERE \(condition) LIMIT ?"
    try statement(select).query(arguments + [.integer(Int64(limit))]) { row in
      guard let id = row.integer(0), let start = row.integer(1), let name = row.text(2) else { return }
      let listed = ListCursor.Place(startedAt: UnixTimestamp(milliseconds: start), path: name)
      each(Place(id: id, listed: listed), row.blob(3) ?? [])
    }
  }

  /// Returns the first positions of several series together. A few are read from each series, and more from a series
  /// that contributes more.
  private func merged(
    _ names: [String], of query: ListQuery, _ limit: Int
  ) throws(SQLiteError) -> [Place] {
    var found: [Place] = []
    var batch = max(Self.seekCost, 2 * limit / names.count)
    var open = names.map { (series: $0, query: query) }
    while !open.isEmpty {
      var unfinished: [(series: String, query: ListQuery, last: Place)] = []
      for (series, query) in open {
        var count = 0
        var last: Place?
        try places(of: query, in: series, batch) { place, _ in
          found.append(place)
          last = place
          count += 1
        }
        if count == batch, let last { unfinished.append((series, query, last)) }
      }
      found.sort { $0.listed < $1.listed }
      if found.count > limit { found.removeSubrange(limit...) }
      let end = found.count == limit ? found.last : nil
      open = unfinished.compactMap { series, query, last in
        if let end, last.listed >= end.listed { return nil }
        var query = query
        query.after = last.cursor
        return (series, query)
      }
      batch *= 2
    }
    return found
  }

  private func filtered(
    by names: Set<[UInt8]>, of query: ListQuery, _ limit: Int
  ) throws(SQLiteError) -> [Place] {
    var query = query
    var found: [Place] = []
    while found.count < limit {
      var count = 0
      var last: Place?
      try places(of: query, LibraryLimits.pageLength) { place, series in
        if names.contains(series) { found.append(place) }
        last = place
        count += 1
      }
      guard count == LibraryLimits.pageLength, let last else { break }
      query.after = last.cursor
    }
    return Array(found.prefix(limit))
  }

  // MARK: Cameras

  /// Returns the recordings of a camera that reach into a period, in the order in which they begin.
  ///
  /// - Parameter limit: the number of rows.
  /// - Returns: nil if there is no such camera.
  func rows(
    ofCamera camera: String, in range: Range<UnixTimestamp>, limit: Int, now: UnixTimestamp
  ) throws(SQLiteError) -> [FleetRow]? {
    let select = "SELECT longest_ms FROM series WHERE name = ? AND refused = 0 AND count > 0"
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

  /// Returns the nearest recording that can be played before a period without footage, and the nearest after it.
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
