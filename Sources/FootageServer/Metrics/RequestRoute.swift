internal import FootageBase
internal import FootageHTTP

/// The kind of a request's target, as in metrics. It is determined from the bytes of the target alone, by a few
/// comparisons.
enum RequestRoute: Int, CaseIterable {
  case page, recordings, cameras, item, recording, refused, playlist, index, manifest, film
  case timeline, cameraPlaylist, cameraClip, health, metrics, other

  /// True if the response consists of recorded bytes.
  var carriesRecordedBytes: Bool {
    switch self {
    case .recording, .refused, .film, .cameraClip: true
    case .page, .recordings, .cameras, .item, .playlist, .index, .manifest, .timeline, .cameraPlaylist, .health,
      .metrics, .other:
      false
    }
  }

  /// The label, spelled as in the reference of the HTTP interface.
  var label: String {
    switch self {
    case .page: "/"
    case .recordings: "/recordings"
    case .cameras: "/cameras"
    case .item: "/recordings/NAME.json"
    case .recording: "/recordings/NAME.mp4"
    case .refused: "/recordings/NAME.raw"
    case .playlist: "/recordings/NAME.m3u8"
    case .index: "/recordings/NAME.index"
    case .manifest: "/recordings/NAME.manifest"
    case .film: "/hls/KEY/PART"
    case .timeline: "/cameras/CAM.json"
    case .cameraPlaylist: "/cameras/CAM.m3u8"
    case .cameraClip: "/cameras/CAM.mp4"
    case .health: "/health"
    case .metrics: "/metrics"
    case .other: "other"
    }
  }

  /// Creates the route of a path. It copies nothing unless the path contains needless percent-encoding. Requests with
  /// such encoding are answered, counted and logged like others.
  ///
  /// - Parameter path: the path as it was sent, without its query.
  init(_ path: ArraySlice<UInt8>) {
    self.init(written: path)
    if self == .other, path.contains(UInt8(ascii: "%")) { self.init(written: PercentEncoding.normalized(path)) }
  }

  /// - Parameter path: a path in the spelling that lists use. A path in another spelling has the route `other`.
  init(written path: ArraySlice<UInt8>) {
    if path.starts(with: "/recordings/".utf8) {
      self = Self.ending(of: path, among: Self.recordingEndings)
    } else if path.starts(with: "/hls/".utf8) {
      self = .film
    } else if path.starts(with: "/cameras/".utf8) {
      self = Self.ending(of: path, among: Self.cameraEndings)
    } else if path.elementsEqual("/".utf8) {
      self = .page
    } else if path.elementsEqual("/recordings".utf8) {
      self = .recordings
    } else if path.elementsEqual("/cameras".utf8) {
      self = .cameras
    } else if path.elementsEqual("/health".utf8) {
      self = .health
    } else if path.elementsEqual("/metrics".utf8) {
      self = .metrics
    } else {
      self = .other
    }
  }

  private static let recordingEndings: [(text: String, route: RequestRoute)] = [
    (".mp4", .recording), (".json", .item), (".m3u8", .playlist), (".raw", .refused), (".index", .index),
    (".manifest", .manifest),
  ]
  private static let cameraEndings: [(text: String, route: RequestRoute)] = [
    (".json", .timeline), (".m3u8", .cameraPlaylist), (".mp4", .cameraClip),
  ]

  private static func ending(
    of path: ArraySlice<UInt8>, among endings: [(text: String, route: RequestRoute)]
  ) -> RequestRoute {
    endings.first { path.hasSuffix($0.text) }?.route ?? .other
  }
}
