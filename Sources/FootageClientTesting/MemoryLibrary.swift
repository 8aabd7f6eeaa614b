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
    /// Returns the address of the film of a video track; nil stands for the one that films show.
    func filmAddress(ofTrack track: Int? = nil) -> FilmAddress {
      .version(FilmKey(ofRecording: item.name, entityTag: item.entityTag ?? ""), track: track)
    }
    /// Returns true if this is the address of one of the recording's films.
    func has(_ address: FilmAddress) -> Bool { address == filmAddress(ofTrack: address.track) }
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
    item.tag = ItemTag(VersionTag(entityTag: sample.entityTag).text)
    guard let (made, views) = Self.views(of: bytes, track: nil) else {
      (self.item, views) = (item, nil)
      return
    }
    item.shift = made.shift
    item.keyInterval = made.keyInterval ?? item.keyInterval
    if item.videoTracks.isEmpty, case .ready(let index)? = try? MovieIndex.make(of: MemoryByteSource(bytes)) {
      item.videoTracks = index.movie.videoTracks
    }
    (self.item, self.views) = (item, views)
  }

  private static func views(of bytes: [UInt8], track: Int?) -> (made: SampleIndex.Made, views: RecordingViews)? {
    let source = MemoryByteSource(bytes)
    let whole = Composition([], then: [0..<UInt64(bytes.count)])
    guard let tables = try? MovieTables(served: source, of: whole),
      let made = try? SampleIndex.make(of: tables, media: source, track: track), !made.bytes.isEmpty,
      let index = try? SampleIndex(MemoryByteSource(made.bytes))
    else { return nil }
    return (made, RecordingViews(index, MemoryByteSource(made.bytes)))
  }

  /// Returns the views of a video track; nil if there are none. Nil stands for the track that films show.
  func views(ofTrack track: Int?) -> RecordingViews? {
    guard let track else { return views }
    return views == nil ? nil : Self.views(of: bytes, track: track)?.views
  }
}
