internal import FootageAnswers
internal import FootageAPI
internal import FootageBase

/// The recordings of a robot in memory, as the contents of lists.
struct MemoryContents: ListContents {
  let library: MemoryLibrary
  /// The time by the robot's clock.
  let now: UnixTimestamp

  var generation: UInt64 { 0 }
  var isInMemory: Bool { true }

  func page(
    of query: ListQuery, for cameras: CameraSelection, _ header: ListHeader, at now: UnixTimestamp
  ) -> [UInt8]? {
    let (page, next) = library.page(of: query, for: cameras)
    var json = JSONWriter()
    RecordingList.write(header, page.map(\.item), next: next, into: &json)
    return json.document
  }

  func cameras() -> [CameraList.Camera]? {
    Set(library.recordings.map { ExactName($0.item.camera) }).sorted().compactMap { name in
      let own = library.recordings(ofCamera: name.text)
      guard let newest = own.first, let from = own.map(\.entry.from).min(), let to = own.map(\.entry.to).max() else {
        return nil
      }
      return CameraList.Camera(
        name: name.text, recordingCount: own.count, from: from, to: to,
        isLive: own.contains { $0.item.state == .recording }, codec: newest.item.video?.codec)
    }
  }

  func timeline(
    ofCamera camera: String?, _ window: TimelineWindow, rows: TimelineQuery.Rows, for cameras: CameraSelection,
    _ header: ListHeader
  ) -> CameraTimeline? {
    let own = library.recordings(ofCamera: camera)
    guard cameras.contains(camera: camera), !own.isEmpty else { return nil }
    let entries = own.reversed().map {
      Timeline<TimelineItem>.Entry(TimelineItem($0.item), from: $0.item.startedAt, to: $0.item.end)
    }
    return CameraTimeline(
      ofCamera: camera, window, of: Timeline(entries, in: window.part),
      rows: rows, header)
  }
}
