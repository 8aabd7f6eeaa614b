internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageMedia

/// The recordings of a robot in memory.
struct MemoryLibrary: Sendable {
  struct Recording: Sendable {
    var item: RecordingItem
    let bytes: [UInt8]
    /// The views of the recording; nil if it is not ready, or is not a movie.
    let views: RecordingViews?

    var tag: VersionTag { VersionTag(entityTag: item.entityTag ?? "") }
    /// The position in lists.
    var place: ListCursor.Place { ListCursor.Place(startedAt: item.startedAt, path: item.name) }
    /// The recording with its beginning and end.
    var entry: Timeline<RecordingItem>.Entry { Timeline<RecordingItem>.Entry(item, from: item.startedAt, to: item.end) }
  }

  let robot: RobotDescription
  /// The most recordings on a page of the list, even if an app asks for more.
  var pageLength = 200
  private(set) var recordings: [Recording] = []

  init(robot: RobotDescription) { self.robot = robot }

  /// Adds a recording, and removes the one with the same name.
  mutating func add(_ recording: SampleRecording) {
    remove(recording.listed.name)
    recordings.append(Recording(recording))
    // The order is that of lists.
    recordings.sort { $0.place < $1.place }
  }

  mutating func remove(_ name: String) { recordings.removeAll { ExactName($0.item.name) == ExactName(name) } }

  mutating func keep(_ isKept: Bool, _ name: String) -> Bool {
    guard let index = recordings.firstIndex(where: { ExactName($0.item.name) == ExactName(name) }) else { return false }
    recordings[index].item.isKept = isKept
    return true
  }

  func recording(_ name: String) -> Recording? { recordings.first { ExactName($0.item.name) == ExactName(name) } }

  func recordings(ofCamera camera: String?) -> [Recording] {
    recordings.filter { ExactName($0.item.camera) == ExactName(camera) }
  }

  /// Returns one page of the list, and the position where the next one begins; nil if this is the last page.
  func page(
    of query: ListQuery, for cameras: CameraSelection = .all
  ) -> (recordings: ArraySlice<Recording>, next: ListCursor?) {
    let matching = recordings.filter { cameras.contains(camera: $0.item.camera) && query.includes($0.item.facts()) }
    let end = query.after?.place
    let rest = matching.drop { recording in end.map { recording.place <= $0 } ?? false }
    let page = rest.prefix(min(max(query.limit, 1), pageLength))
    return (page, page.count < rest.count ? page.last.map { ListCursor($0.place) } : nil)
  }
}

extension MemoryLibrary.Recording {
  fileprivate init(_ sample: SampleRecording) {
    var item = sample.listed.item
    bytes = sample.bytes
    item.size = UInt64(bytes.count)
    guard item.state == .ready else {
      item.entityTag = nil
      item.tag = nil
      (self.item, views) = (item, nil)
      return
    }
    item.entityTag = sample.entityTag
    item.tag = FilmKey(VersionTag(entityTag: sample.entityTag).text)
    let source = MemoryByteSource(bytes)
    let whole = Composition([], then: [0..<UInt64(bytes.count)])
    guard let tables = try? MovieTables(served: source, of: whole),
      let made = try? SampleIndex.make(of: tables, media: source), !made.bytes.isEmpty,
      let index = try? SampleIndex(MemoryByteSource(made.bytes))
    else {
      (self.item, views) = (item, nil)
      return
    }
    item.shift = made.shift
    item.keyInterval = made.keyInterval ?? item.keyInterval
    self.item = item
    views = RecordingViews(index, MemoryByteSource(made.bytes))
  }
}
