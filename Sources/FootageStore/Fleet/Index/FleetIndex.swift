package import FootageAPI
package import FootageBase
internal import FootageLibrary
internal import FootageSystem
internal import Synchronization

/// An index of many robots' recordings, in a database that may be deleted at any time: it is rebuilt from the store.
///
/// One connection writes while others read. All methods block and must not be called on an event loop.
package final class FleetIndex: Sendable {
  /// A slot for a reading connection, which is opened when it is first needed.
  private final class ReadingPlace: Sendable {
    let reader = Mutex<FleetReader?>(nil)
  }

  private let path: String
  private let writer: Mutex<FleetWriter>
  private let places: [ReadingPlace]
  private let turns = Atomic<Int>(0)
  private let changes = Atomic<UInt64>(0)

  /// The number of reads at the same time. Further ones wait.
  private static let readers = 4

  /// - Parameter path: the path of the database. An unusable file at this path is renamed. Another program's database
  ///   is an error, and stays as it is.
  package init(path: String) throws(FleetError) {
    self.path = path
    writer = Mutex(try Self.open(path))
    places = (0..<Self.readers).map { _ in ReadingPlace() }
  }

  private static func open(_ path: String) throws(FleetError) -> sending FleetWriter {
    do throws(SQLiteError) { return try FleetWriter(path: path) } catch {
      guard error.kind == .damaged || error.kind == .other else { throw .index(error) }
    }
    do throws(StorageError) {
      // A file that cannot be read may be another program's. It is set aside, never deleted.
      try FileTree.rename(path, replacing: "\(path).set-aside")
      for suffix in ["-wal", "-shm"] { try FileTree.remove(path + suffix) }
    } catch { throw .storage(error) }
    do throws(SQLiteError) { return try FleetWriter(path: path) } catch { throw .index(error) }
  }

  /// A number that increases with every change.
  package var generation: UInt64 { changes.load(ordering: .acquiring) }

  // MARK: Writing

  func write<Result: Sendable>(
    _ body: (FleetWriter) throws(SQLiteError) -> Result
  ) throws(FleetError) -> Result {
    do throws(SQLiteError) {
      return try writer.withLock { (writer) throws(SQLiteError) in try body(writer) }
    } catch { throw .index(error) }
  }

  /// Increases the generation, so that readers notice the change.
  func noteChange() { changes.add(1, ordering: .releasing) }

  /// Adds versions that are not in the index yet.
  package func add(_ rows: [FleetRow]) throws(FleetError) {
    if try write({ (writer) throws(SQLiteError) in try writer.add(rows) }) > 0 { noteChange() }
  }

  /// Sets the robots of the index. Removes the recordings of other robots, and those signed by keys that do not belong
  /// to their robots.
  package func use(_ robots: [FleetRobot]) throws(FleetError) {
    if try write({ (writer) throws(SQLiteError) in try writer.use(robots) }) { noteChange() }
  }

  // MARK: Reading

  private func read<Result: Sendable>(
    _ body: (FleetReader) throws(SQLiteError) -> Result
  ) throws(FleetError) -> Result {
    let place = places[Int(UInt(bitPattern: turns.wrappingAdd(1, ordering: .relaxed).newValue) % UInt(places.count))]
    do throws(SQLiteError) {
      return try place.reader.withLock { (reader) throws(SQLiteError) in
        let open: FleetReader
        if let known = reader { open = known } else { open = try FleetReader(path: path) }
        reader = open
        do throws(SQLiteError) { return try body(open) } catch {
          // It is opened again the next time.
          reader = nil
          throw error
        }
      }
    } catch { throw .index(error) }
  }

  /// Returns one page of the list, newest first, and the position at which the next one begins. The result is the same
  /// on every server of this store.
  ///
  /// - Parameter cameras: recordings of other cameras are left out.
  package func page(
    of query: ListQuery, from cameras: CameraSelection = .all, now: UnixTimestamp
  ) throws(FleetError) -> (rows: [FleetRow], next: ListCursor?) {
    try read { (reader) throws(SQLiteError) in try reader.page(of: query, from: cameras, now: now) }
  }

  /// Returns the recording that is listed under a name, `ROBOT/NAME`.
  ///
  /// - Parameter cameras: a recording of another camera is looked up in the same way, and counts as missing.
  package func row(
    named name: String, from cameras: CameraSelection = .all, now: UnixTimestamp
  ) throws(FleetError) -> FleetRow? {
    try read { (reader) throws(SQLiteError) in try reader.row(named: name, from: cameras, now: now) }
  }

  /// Returns the version whose film has this key, listed or not.
  ///
  /// - Parameter cameras: a version of another camera is looked up in the same way, and counts as missing.
  package func row(
    film key: FilmKey, from cameras: CameraSelection = .all, now: UnixTimestamp
  ) throws(FleetError) -> FleetRow? {
    try read { (reader) throws(SQLiteError) in try reader.row(film: key, from: cameras, now: now) }
  }

  /// Returns true if the index has a version of a recording that its robot signed, listed or not.
  package func has(_ name: String, version tag: VersionTag) throws(FleetError) -> Bool {
    try read { (reader) throws(SQLiteError) in try reader.has(name, version: tag) }
  }

  /// Returns the recordings of a camera that reach into a period, in the order in which they begin; nil if there is no
  /// such camera.
  package func rows(
    ofCamera camera: String, in range: Range<UnixTimestamp>, limit: Int, now: UnixTimestamp
  ) throws(FleetError) -> [FleetRow]? {
    try read { (reader) throws(SQLiteError) in
      try reader.rows(ofCamera: camera, in: range, limit: limit, now: now)
    }
  }

  /// Returns the last moment with footage of a camera before a period without footage, and the first one after it. Each
  /// is nil if there is none.
  package func momentsAround(
    _ range: Range<UnixTimestamp>, ofCamera camera: String
  ) throws(FleetError) -> (before: UnixTimestamp?, after: UnixTimestamp?) {
    let rows = try read { (reader) throws(SQLiteError) in
      try reader.rowsAround(range, ofCamera: camera, now: range.upperBound)
    }
    return (rows.before?.end, rows.after?.item.startedAt)
  }

  /// Returns the cameras in the order of their names.
  package func cameras() throws(FleetError) -> [CameraList.Camera] {
    try read { (reader) throws(SQLiteError) in try reader.series() }.filter { !$0.isRefused }.map {
      CameraList.Camera(
        name: $0.name, robot: $0.robot, recordingCount: $0.count, from: $0.from, to: $0.to, isLive: false,
        codec: $0.codec)
    }
  }

  /// Returns the number of recordings that are listed, and how many of them are refused.
  ///
  /// - Parameter cameras: recordings of other cameras do not count.
  package func counts(from cameras: CameraSelection = .all) throws(FleetError) -> (all: Int, refused: Int) {
    let series = try read { (reader) throws(SQLiteError) in try reader.series() }
      .filter { cameras.contains(camera: $0.camera) }
    return (series.reduce(0) { $0 + $1.count }, series.reduce(0) { $0 + ($1.isRefused ? $1.count : 0) })
  }
}
