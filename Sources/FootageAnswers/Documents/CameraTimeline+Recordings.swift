package import FootageAPI
package import FootageBase

extension CameraTimeline {
  /// Creates the timeline of a camera for a window, from the recordings that reach into the window's part.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - rows: the amount of detail about the recordings of each span.
  ///   - lastPicture: returns the time when a recording's last picture before a moment begins; nil if it is unknown.
  package init(
    ofCamera camera: String?, _ window: TimelineWindow, of timeline: Timeline<TimelineItem>,
    rows: TimelineQuery.Rows, _ header: ListHeader,
    lastPicture: (TimelineItem, UnixTimestamp) -> UnixTimestamp? = { _, _ in nil }
  ) {
    var (timeline, window) = (timeline, window)
    if let end = Self.endOfAnswer(timeline, rows), end > window.part.lowerBound {
      window = window.ending(at: end)
      timeline = Timeline(timeline.spans.lazy.flatMap(\.entries), in: window.part)
    }
    let pictures = Self.pictures(in: timeline, window.part, lastPicture)
    self.init(
      header: header, camera: camera, from: window.whole.lowerBound, to: window.whole.upperBound,
      first: pictures?.first, last: pictures?.last,
      spans: timeline.spans.map { span in
        Span(
          from: span.from, to: span.to, overlaps: span.overlaps,
          recordings: rows == .none ? nil : span.entries.map { Row($0, rows) })
      }, next: window.next)
  }

  /// Returns the moment at which an answer has to end so that it is not too long; nil if all of it fits.
  private static func endOfAnswer(_ timeline: Timeline<TimelineItem>, _ rows: TimelineQuery.Rows) -> UnixTimestamp? {
    let rowLength: Int? =
      switch rows {
      case .none: nil
      case .listed: Self.rowLength
      case .films: Self.rowLength + filmLength
      }
    var room = TimelineWindow.longestAnswer
    for span in timeline.spans {
      room -= spanLength
      for entry in span.entries {
        if let rowLength { room -= rowLength + entry.recording.name.utf8.count }
        if room < 0 { return entry.from }
      }
    }
    return nil
  }

  /// The length of a span in bytes; `rowLength` is that of a row. Neither includes the names, which may need a little
  /// more for escapes.
  private static let spanLength = 80
  private static let rowLength = 64
  /// The length in bytes of the values with which a row has the address of a film.
  private static let filmLength = FilmKey.length + 14

  /// Returns the times when the first and the last picture begin. If the last one is unknown, it is estimated from the
  /// frame rate.
  private static func pictures(
    in timeline: Timeline<TimelineItem>, _ range: Range<UnixTimestamp>,
    _ lastPicture: (TimelineItem, UnixTimestamp) -> UnixTimestamp?
  ) -> (first: UnixTimestamp, last: UnixTimestamp)? {
    let playable = timeline.spans.lazy.flatMap(\.entries).filter { $0.from < $0.to && $0.recording.state != .refused }
    guard let first = playable.first, let last = playable.max(by: { $0.to < $1.to }) else { return nil }
    let about = max(last.from, last.to.advanced(byMilliseconds: -last.recording.frameMilliseconds))
    let begins =
      lastPicture(last.recording, min(last.to, range.upperBound))
      ?? min(about, range.upperBound.advanced(byMilliseconds: -1))
    return (max(first.from, range.lowerBound), begins)
  }
}

/// A recording as it appears in a timeline.
package struct TimelineItem {
  package let name: String
  /// The tag that names the recording's version in URLs, or its ID while it grows; nil if it has none.
  let tag: String?
  /// Returns the address of the recording's film; nil if there is nothing to play. It is computed only for answers that
  /// contain it.
  let film: () -> FilmAddress?
  let state: CameraTimeline.Row.State
  /// The shift as in `RecordingItem`.
  let shift: Int?
  let note: CameraTimeline.Row.Note?
  /// The mean time in milliseconds for which a picture is shown; 0 if unknown.
  let frameMilliseconds: Int64

  package init(
    name: String, tag: String?, film: @escaping () -> FilmAddress?, state: CameraTimeline.Row.State, shift: Int?,
    note: CameraTimeline.Row.Note?, frameMilliseconds: Int64
  ) {
    self.name = name
    self.tag = tag
    self.film = film
    self.state = state
    self.shift = shift
    self.note = note
    self.frameMilliseconds = frameMilliseconds
  }

  /// - Parameter robot: the robot that made the recording, on a server of many robots.
  package init(_ item: RecordingItem, of robot: String? = nil) {
    let state: CameraTimeline.Row.State =
      switch item.state {
      case .ready: .ready
      case .recording: .recording
      case .refused, .other: .refused
      }
    let rate = item.video?.frameRate ?? 0
    self.init(
      name: item.name, tag: item.tag?.text, film: { item.filmAddress(of: robot) }, state: state,
      shift: item.shift.map { Int($0) },
      note: item.isRecovered ? .recovered : nil,
      frameMilliseconds: rate >= 1 ? Int64(1_000 / rate + 0.5) : 0)
  }
}

extension CameraTimeline.Row {
  fileprivate init(_ entry: Timeline<TimelineItem>.Entry, _ rows: TimelineQuery.Rows) {
    let item = entry.recording
    self.init(
      name: item.name, tag: item.tag, startedAt: entry.from, durationMilliseconds: entry.milliseconds,
      state: item.state, shift: item.shift, note: item.note, film: rows == .films ? item.film()?.text : nil)
  }
}
