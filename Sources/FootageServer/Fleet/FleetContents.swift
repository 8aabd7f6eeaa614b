internal import FootageAnswers
internal import FootageStore
internal import FootageAPI
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The recordings of many robots, from which lists are made by queries to the index.
struct FleetContents: ListContents {
  let index: FleetIndex
  /// The generation of the index for which these contents were created.
  let generation: UInt64
  let clock: Clock

  init(_ index: FleetIndex, clock: Clock) {
    self.index = index
    generation = index.generation
    self.clock = clock
  }

  /// The maximum number of recordings in one answer to a timeline. A longer timeline needs further answers.
  private static let timelineRows = 50_000

  var now: UnixTimestamp { UnixTimestamp(nanoseconds: clock.unixNanoseconds) }
  var isInMemory: Bool { false }

  func page(
    of query: ListQuery, for cameras: CameraSelection, _ header: ListHeader, at now: UnixTimestamp
  ) -> [UInt8]? {
    guard let page = try? index.page(of: query, from: cameras, now: now) else { return nil }
    var json = JSONWriter()
    RecordingList.write(header, page.rows.lazy.map(\.item), next: page.next, into: &json)
    return json.document
  }

  func cameras() -> [CameraList.Camera]? { try? index.cameras() }

  func timeline(
    ofCamera camera: String?, _ window: TimelineWindow, rows detail: TimelineQuery.Rows,
    for cameras: CameraSelection, _ header: ListHeader
  ) -> CameraTimeline? {
    guard let camera, cameras.contains(camera: camera),
      let rows = try? index.rows(ofCamera: camera, in: window.part, limit: Self.timelineRows, now: now)
    else { return nil }
    var window = window
    // The remaining recordings come with the next answer, which begins where the last one of these begins.
    if rows.count == Self.timelineRows, let last = rows.last { window = window.ending(at: last.item.startedAt) }
    let entries = rows.map {
      Timeline<TimelineItem>.Entry(TimelineItem($0.item, of: $0.robot), from: $0.item.startedAt, to: $0.item.end)
    }
    return CameraTimeline(
      ofCamera: camera, window, of: Timeline(entries, in: window.part), rows: detail, header)
  }
}
