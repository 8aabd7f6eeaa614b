internal import FootageAPI

extension ListCursor {
  /// Creates a cursor that points after this recording.
  init(_ recording: Recording) { self.init(Place(startedAt: recording.startedAt, path: recording.path.text)) }
}
