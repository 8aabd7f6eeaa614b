internal import Formats
internal import HTTPSemantics

/// What kind of thing a request is for, as metrics tell it: by the letters of its target alone, so that it costs a few
/// comparisons.
enum RequestRoute: Int, CaseIterable {
  case page, recordings, cameras, item, recording, refused, health, metrics, other

  /// Whether what was recorded is what is sent.
  var isOfRecordedBytes: Bool { self == .recording || self == .refused }

  /// As the reference of the HTTP interface writes it.
  var label: String {
    switch self {
    case .page: "/"
    case .recordings: "/recordings"
    case .cameras: "/cameras"
    case .item: "/recordings/NAME.json"
    case .recording: "/recordings/NAME.mp4"
    case .refused: "/recordings/NAME.raw"
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
      self =
        path.hasSuffix(".mp4")
        ? .recording : path.hasSuffix(".json") ? .item : path.hasSuffix(".raw") ? .refused : .other
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
}

extension ArraySlice<UInt8> {
  fileprivate func hasSuffix(_ text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount && suffix(text.utf8CodeUnitCount).elementsEqual(text.description.utf8)
  }
}
