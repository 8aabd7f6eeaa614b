internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageLibrary

/// The recordings of a folder, as the contents of lists.
struct LibraryContents: ListContents {
  let snapshot: LibrarySnapshot
  let library: RecordingLibrary

  var generation: UInt64 { snapshot.generation }
  var now: UnixTimestamp { library.now }
  var isInMemory: Bool { true }

  func page(
    of query: ListQuery, for cameras: CameraSelection, _ header: ListHeader, at now: UnixTimestamp
  ) -> [UInt8]? {
    let (page, next) = VisibleRecordings(snapshot, of: cameras).page(of: query)
    var json = JSONWriter()
    RecordingList.write(header, page.lazy.map { $0.item(at: now) }, next: next, into: &json)
    return json.document
  }

  func cameras() -> [CameraList.Camera]? { library.cameras(of: snapshot) }

  func timeline(
    ofCamera camera: String?, _ window: TimelineWindow, rows: TimelineQuery.Rows, for cameras: CameraSelection,
    _ header: ListHeader
  ) -> CameraTimeline? {
    CameraTimeline(
      ofCamera: camera, window, in: VisibleRecordings(snapshot, of: cameras), rows: rows, header,
      lastPicture: { library.lastPicture(of: $0, before: $1) })
  }
}
