package import FootageAPI
internal import FootageBase

/// The recordings at one moment.
///
/// It is a value that any number of threads may use. Copying it costs nothing, and changing one recording in it costs
/// little, however many there are.
package struct LibrarySnapshot: Sendable {
  /// The number of the generation, which increases with every change.
  package private(set) var generation: UInt64 = 0
  private var order = ChronologicalIndex()
  private var cameraOrders = CameraIndexes()
  /// The recordings by name, distributed over many dictionaries so that a change copies only a small one.
  private var shards = [[ExactName: Recording]](repeating: [:], count: 64)

  /// The ready recordings by the keys of their films.
  private var films = FilmLookup()

  package init() {}

  /// Creates a snapshot of exactly these recordings.
  package init(_ recordings: [Recording]) {
    order = ChronologicalIndex(recordings)
    cameraOrders = CameraIndexes(recordings)
    for recording in recordings {
      let name = ExactName(recording.name)
      shards[Self.shard(name)][name] = recording
      films.insert(recording)
    }
  }

  /// The number of recordings, whatever their state.
  package var count: Int { order.count }

  /// Returns the recording with this name, compared byte for byte; nil if there is none. O(1).
  package func recording(named name: String) -> Recording? {
    let name = ExactName(name)
    return shards[Self.shard(name)][name]
  }

  /// Returns the recording whose version has the film with this key; nil if there is none. O(1).
  package func recording(film key: FilmKey) -> Recording? { films[key] }

  /// Returns one page of the list, newest first, and the cursor of the next page; nil if this is the last one.
  ///
  /// Following the cursors returns each recording exactly once if it exists throughout, even if others are added or
  /// removed meanwhile.
  ///
  /// - Parameter cameras: the cameras whose recordings are included.
  package func page(
    of query: ListQuery, from cameras: CameraSelection = .all
  ) -> (recordings: [Recording], next: ListCursor?) {
    let limit = min(max(query.limit, 1), LibraryLimits.pageLength)
    let since = query.since
    var page: [Recording] = []
    var isCut = false
    order.walk(behind: start(of: query)) { recording in
      if let since, recording.startedAt < since { return false }
      guard query.includes(recording.facts), cameras.contains(camera: recording.camera) else { return true }
      guard page.count < limit else {
        isCut = true
        return false
      }
      page.append(recording)
      return true
    }
    return (page, isCut ? page.last.map { ListCursor($0) } : nil)
  }

  /// Returns all recordings that match a query, newest first, from all its pages.
  package func recordings(of query: ListQuery) -> [Recording] {
    var query = query
    query.limit = LibraryLimits.pageLength
    var all: [Recording] = []
    while true {
      let (recordings, next) = page(of: query)
      all += recordings
      guard let next else { return all }
      query.after = next
    }
  }

  /// Returns the recordings of a camera, of any state, in order; nil if there are none.
  ///
  /// - Parameter camera: nil for recordings without a camera.
  func recordings(ofCamera camera: String?) -> ChronologicalIndex? { cameraOrders[camera] }

  /// The recordings, newest first.
  package var recordings: [Recording] {
    var all: [Recording] = []
    all.reserveCapacity(count)
    forEachNewestFirst { all.append($0) }
    return all
  }

  package func forEachNewestFirst(_ body: (Recording) -> Void) {
    order.walk(behind: nil) { recording in
      body(recording)
      return true
    }
  }

  /// Returns the position after which the query's list begins: the later of its cursor and its upper bound. The bound's
  /// position is between recordings, because it has the empty path, which sorts first in its millisecond.
  private func start(of query: ListQuery) -> ChronologicalIndex.Position? {
    let cursor = query.after?.place.map {
      ChronologicalIndex.Position(startedAt: $0.startedAt, path: RelativePath($0.path))
    }
    let bound = query.until.flatMap { until in
      until.milliseconds == .min
        ? nil : ChronologicalIndex.Position(startedAt: until.advanced(byMilliseconds: -1), path: .root)
    }
    guard let cursor, let bound else { return cursor ?? bound }
    return max(cursor, bound)
  }

  /// Replaces `old` with `new`; either may be nil.
  mutating func replace(_ old: Recording?, with new: Recording?) {
    if let old {
      order.remove(old)
      cameraOrders.remove(old)
      films.remove(old)
      let name = ExactName(old.name)
      let shard = Self.shard(name)
      if shards[shard][name] === old { shards[shard][name] = nil }
    }
    if let new {
      order.insert(new)
      cameraOrders.insert(new)
      films.insert(new)
      let name = ExactName(new.name)
      shards[Self.shard(name)][name] = new
    }
    generation &+= 1
  }

  private static func shard(_ name: ExactName) -> Int { Int(UInt(bitPattern: name.hashValue) % 64) }
}
