internal import FootageAPI

extension ListCursor {
  /// Behind this recording.
  init(_ recording: Recording) { self.init(Place(startedAt: recording.startedAt, path: recording.path.text)) }
}
