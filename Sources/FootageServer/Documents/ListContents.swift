internal import FootageAPI
internal import FootageBase
internal import FootageLibrary

/// What lists are made of: what there was at one moment, of a folder or of many robots.
protocol ListContents: Sendable {
  /// Goes up with every change.
  var generation: UInt64 { get }
  /// What the clock says.
  var now: UnixTimestamp { get }
  /// True if the same documents can be made again at any time, so that they need not be kept while they are sent.
  var isInMemory: Bool { get }

  /// A page of the list: a JSON document. Costs what it walks, and blocks.
  ///
  /// - Returns: nil where it cannot be made just now.
  func page(of query: ListQuery, for cameras: CameraSelection, _ header: ListHeader, at now: UnixTimestamp) -> [UInt8]?

  /// The cameras in the order of their names. Blocks.
  ///
  /// - Returns: nil where they cannot be told just now.
  func cameras() -> [CameraList.Camera]?

  /// What there is of a camera over some time. Costs what it finds, and blocks.
  ///
  /// - Returns: nil where there is no such camera for who may see these.
  func timeline(
    ofCamera camera: String?, _ window: TimelineWindow, hasRows: Bool, for cameras: CameraSelection,
    _ header: ListHeader
  ) -> CameraTimeline?
}

/// The recordings of a folder.
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
    ofCamera camera: String?, _ window: TimelineWindow, hasRows: Bool, for cameras: CameraSelection,
    _ header: ListHeader
  ) -> CameraTimeline? {
    CameraTimeline(
      ofCamera: camera, window, in: VisibleRecordings(snapshot, of: cameras), hasRows: hasRows, header,
      lastPicture: { library.lastPicture(of: $0, before: $1) })
  }
}
