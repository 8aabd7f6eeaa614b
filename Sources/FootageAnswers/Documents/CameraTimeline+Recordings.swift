package import FootageAPI
package import FootageBase

extension CameraTimeline {
  /// The timeline of a camera over a window, of what reaches into the window's part.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - hasRows: whether each span says which recordings it is made of.
  ///   - lastPicture: when the last picture of a recording begins before a moment; nil where nobody can tell.
  package init(
    ofCamera camera: String?, _ window: TimelineWindow, of timeline: Timeline<TimelineItem>, hasRows: Bool,
    _ header: ListHeader, lastPicture: (TimelineItem, UnixTimestamp) -> UnixTimestamp? = { _, _ in nil }
  ) {
    var (timeline, window) = (timeline, window)
    if let end = Self.endOfAnswer(timeline, hasRows: hasRows), end > window.part.lowerBound {
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
          recordings: hasRows ? span.entries.map { Row($0) } : nil)
      }, next: window.next)
  }

  /// The moment at which an answer has to end so as not to be too long; nil where all of it fits.
  private static func endOfAnswer(_ timeline: Timeline<TimelineItem>, hasRows: Bool) -> UnixTimestamp? {
    var room = TimelineWindow.longestAnswer
    for span in timeline.spans {
      room -= spanLength
      for entry in span.entries {
        if hasRows { room -= rowLength + entry.recording.name.utf8.count }
        if room < 0 { return entry.from }
      }
    }
    return nil
  }

  /// The length of a span and of a row in bytes: all but the names, which may need a little more for what has to be
  /// escaped.
  private static let spanLength = 80
  private static let rowLength = 64

  /// When the first and the last picture begin; the last one by how many there are in a second, where nobody can tell.
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

/// A recording as a timeline tells of it.
package struct TimelineItem {
  package let name: String
  /// The name of its parts, or of its version; nil where it has none.
  let tag: String?
  let state: CameraTimeline.Row.State
  /// The shift as `RecordingItem` has it.
  let shift: Int?
  let note: CameraTimeline.Row.Note?
  /// How long one picture is shown, in the mean; 0 where nobody knows.
  let frameMilliseconds: Int64

  package init(
    name: String, tag: String?, state: CameraTimeline.Row.State, shift: Int?, note: CameraTimeline.Row.Note?,
    frameMilliseconds: Int64
  ) {
    self.name = name
    self.tag = tag
    self.state = state
    self.shift = shift
    self.note = note
    self.frameMilliseconds = frameMilliseconds
  }

  package init(_ item: RecordingItem) {
    let state: CameraTimeline.Row.State =
      switch item.state {
      case .ready: .ready
      case .recording: .recording
      case .refused, .other: .refused
      }
    let rate = item.video?.frameRate ?? 0
    self.init(
      name: item.name, tag: item.tag?.text, state: state, shift: item.shift.map { Int($0) },
      note: item.isRecovered ? .recovered : nil,
      frameMilliseconds: rate >= 1 ? Int64(1_000 / rate + 0.5) : 0)
  }
}

extension CameraTimeline.Row {
  fileprivate init(_ entry: Timeline<TimelineItem>.Entry) {
    let item = entry.recording
    self.init(
      name: item.name, tag: item.tag, startedAt: entry.from, durationMilliseconds: entry.milliseconds,
      state: item.state, shift: item.shift, note: item.note)
  }
}
