package import FootageAPI
internal import FootageBase

/// All recordings at one moment.
///
/// A value, to be handed to any number of threads; a copy costs nothing, and changing one recording in it costs little
/// whatever their number.
package struct LibrarySnapshot: Sendable {
  /// Goes up with every change.
  package private(set) var generation: UInt64 = 0
  private var order = ChronologicalIndex()
  private var cameraOrders = CameraIndexes()
  /// By name, spread over many dictionaries so that a change copies a small one.
  private var shards = [[ExactName: Recording]](repeating: [:], count: 64)

  /// Those that are ready, by version.
  private var versions = VersionLookup()

  package init() {}

  /// These recordings and no others.
  package init(_ recordings: [Recording]) {
    order = ChronologicalIndex(recordings)
    cameraOrders = CameraIndexes(recordings)
    for recording in recordings {
      let name = ExactName(recording.name)
      shards[Self.shard(name)][name] = recording
      versions.insert(recording)
    }
  }

  /// How many recordings there are, whatever their state.
  package var count: Int { order.count }

  /// The recording of this name, byte for byte, or nil. O(1).
  package func recording(named name: String) -> Recording? {
    let name = ExactName(name)
    return shards[Self.shard(name)][name]
  }

  /// The recordings of a version: one, but where a file is there twice. O(1).
  package func recordings(tagged tag: VersionTag) -> [Recording] { versions[tag] }

  /// One page of the list, newest first, and where the next one begins; nil where this is the last one.
  ///
  /// Following the cursors gives each recording once that is there all the time, whatever comes and goes meanwhile.
  ///
  /// - Parameter cameras: what is not of them is left out.
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

  /// All that a query asks for, newest first, on however many pages.
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

  /// The recordings of a camera, of any state, in their order; nil where it has none.
  ///
  /// - Parameter camera: nil for recordings without a camera.
  func recordings(ofCamera camera: String?) -> ChronologicalIndex? { cameraOrders[camera] }

  /// All recordings, newest first.
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

  /// The later of the cursor and the upper bound, which nothing lies upon: the empty path comes first in its
  /// millisecond.
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

  /// Puts `new` where `old` was; either may be missing.
  mutating func replace(_ old: Recording?, with new: Recording?) {
    if let old {
      order.remove(old)
      cameraOrders.remove(old)
      versions.remove(old)
      let name = ExactName(old.name)
      let shard = Self.shard(name)
      if shards[shard][name] === old { shards[shard][name] = nil }
    }
    if let new {
      order.insert(new)
      cameraOrders.insert(new)
      versions.insert(new)
      let name = ExactName(new.name)
      shards[Self.shard(name)][name] = new
    }
    generation &+= 1
  }

  private static func shard(_ name: ExactName) -> Int { Int(UInt(bitPattern: name.hashValue) % 64) }
}
