internal import FootageBase
internal import FootageHTTP

/// What kind of thing a request is for, as metrics tell it: by the letters of its target alone, so that it costs a few
/// comparisons.
enum RequestRoute: Int, CaseIterable {
  case page, recordings, cameras, item, recording, refused, playlist, index, manifest, film
  case timeline, cameraPlaylist, cameraClip, health, metrics, other

  /// Whether what was recorded is what is sent.
  var carriesRecordedBytes: Bool {
    switch self {
    case .recording, .refused, .film, .cameraClip: true
    case .page, .recordings, .cameras, .item, .playlist, .index, .manifest, .timeline, .cameraPlaylist, .health,
      .metrics, .other:
      false
    }
  }

  /// As the reference of the HTTP interface writes it.
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

  /// Pure, and without a copy, unless a letter stands there as `%` and two digits that need not: whoever writes so is
  /// answered as others are, and is counted and told of as they are.
  ///
  /// - Parameter path: without its query, as it was sent.
  init(_ path: ArraySlice<UInt8>) {
    self.init(written: path)
    if self == .other, path.contains(UInt8(ascii: "%")) { self.init(written: PercentEncoding.normalized(path)) }
  }

  /// - Parameter path: written as lists write it; another spelling is `other`.
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
