internal import FootageAPI

extension ListQuery {
  /// `since` and `until` are looked after by the order of the list.
  func admits(_ recording: Recording) -> Bool {
    if let camera, recording.camera.map(NameKey.init) != NameKey(camera) { return false }
    switch (state, recording.state) {
    case (nil, _), (.ready, .ready), (.recording, .recording), (.refused, .refused): return true
    default: return false
    }
  }
}

extension ListCursor {
  /// Behind this recording.
  init(_ recording: Recording) { self.init(Place(startedAt: recording.startedAt, path: recording.path.text)) }
}
