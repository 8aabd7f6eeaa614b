internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageMedia

/// What a robot in memory has, and what it answers: a pure function of a request.
struct MemoryLibrary: Sendable {
  struct Recording: Sendable {
    var item: RecordingItem
    let bytes: [UInt8]
    /// What it is shown by; nil of what is no movie.
    let views: RecordingViews?

    var tag: VersionTag { VersionTag(entityTag: item.entityTag ?? "") }
    /// In lists.
    var place: ListCursor.Place { ListCursor.Place(startedAt: item.startedAt, path: item.name) }
    /// When it begins, and ends.
    var entry: Timeline<Recording>.Entry {
      Timeline<Recording>.Entry(
        self, from: item.startedAt,
        to: item.startedAt.advanced(byMilliseconds: Int64(min(max(item.duration ?? 0, 0), 1e9) * 1_000)))
    }
  }

  var header: ListHeader
  /// Of a page of the list, where an app asks for more.
  var pageLength = 200
  private(set) var recordings: [Recording] = []

  init(header: ListHeader) { self.header = header }

  // MARK: What it has

  /// Adds a recording, or takes it for the one of its name.
  mutating func add(_ recording: SampleRecording) {
    remove(recording.listed.name)
    recordings.append(Recording(recording))
    // As lists have them.
    recordings.sort { $0.place < $1.place }
  }

  mutating func remove(_ name: String) { recordings.removeAll { $0.item.name.utf8.elementsEqual(name.utf8) } }

  mutating func keep(_ isKept: Bool, _ name: String) -> Bool {
    guard let index = recordings.firstIndex(where: { $0.item.name.utf8.elementsEqual(name.utf8) }) else { return false }
    recordings[index].item.isKept = isKept
    return true
  }

  func recording(_ name: String) -> Recording? { recordings.first { $0.item.name.utf8.elementsEqual(name.utf8) } }

  func ofCamera(_ camera: String?) -> [Recording] {
    recordings.filter { ExactName($0.item.camera) == ExactName(camera) }
  }

  // MARK: Lists

  /// One page of the list, and where the next one begins; nil where this is the last one.
  func page(of query: ListQuery) -> (recordings: ArraySlice<Recording>, next: ListCursor?) {
    let matching = recordings.filter { query.includes($0.item.facts()) }
    let end = query.after?.place
    let rest = matching.drop { recording in end.map { recording.place <= $0 } ?? false }
    let page = rest.prefix(min(max(query.limit, 1), pageLength))
    return (page, page.count < rest.count ? page.last.map { ListCursor($0.place) } : nil)
  }

  func list(_ query: ListQuery) -> MemoryAnswer {
    let (page, next) = page(of: query)
    var json = JSONWriter()
    RecordingList.write(header, page.map(\.item), next: next, into: &json)
    return .json(json)
  }

  /// - Parameter now: by the robot's clock.
  func cameras(_ now: UnixTimestamp) -> MemoryAnswer {
    var names: [ExactName] = []
    for recording in recordings where !names.contains(ExactName(recording.item.camera)) {
      names.append(ExactName(recording.item.camera))
    }
    let cameras = names.sorted { ($0.text ?? "\u{10FFFF}") < ($1.text ?? "\u{10FFFF}") }.compactMap { name in
      let own = ofCamera(name.text)
      guard let newest = own.first, let from = own.map(\.entry.from).min(), let to = own.map(\.entry.to).max() else {
        return nil as CameraList.Camera?
      }
      return CameraList.Camera(
        name: name.text, recordingCount: own.count, from: from, to: to,
        isLive: own.contains { $0.item.state == .recording }, codec: newest.item.video?.codec)
    }
    var json = JSONWriter()
    CameraList(header: header, cameras: cameras).write(into: &json)
    return .json(json)
  }

  /// - Parameter now: by the robot's clock.
  func timeline(ofCamera camera: String?, _ query: TimelineQuery, _ now: UnixTimestamp) -> MemoryAnswer {
    let own = ofCamera(camera)
    guard !own.isEmpty else { return .notFound("There is no camera of this name: GET /cameras lists them.") }
    let to = query.to ?? now
    let from = query.from ?? to.advanced(byMilliseconds: -86_400_000)
    guard from < to else { return .problem(400, .badQuery, "The end has to lie behind the beginning.") }
    let timeline = Timeline(own.reversed().map(\.entry), in: from..<to)
    let shown = timeline.parts
    var json = JSONWriter()
    CameraTimeline(
      header: header, camera: camera, from: from, to: to, first: shown.first?.from,
      last: shown.last.map { $0.to.advanced(byMilliseconds: -1) },
      spans: timeline.spans.map { span in
        CameraTimeline.Span(
          from: span.from, to: span.to, overlaps: span.overlaps,
          recordings: query.hasRows ? span.entries.map { CameraTimeline.Row($0) } : nil)
      }, next: nil
    ).write(into: &json)
    return .json(json)
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

extension CameraTimeline.Row {
  fileprivate init(_ entry: Timeline<MemoryLibrary.Recording>.Entry) {
    let item = entry.recording.item
    let state: State =
      switch item.state {
      case .ready: .ready
      case .recording: .recording
      case .refused: .refused
      case .other(let word): .other(word)
      }
    self.init(
      name: item.name, tag: item.tag?.text, startedAt: entry.from, durationMilliseconds: entry.milliseconds,
      state: state, shift: item.shift.map { Int($0) })
  }
}
