package import FootageAPI
package import FootageBase

extension CameraTimeline {
  /// The timeline of a camera over a window, of what reaches into the window's part.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - hasRows: whether each span says which recordings it is made of.
  ///   - lastPicture: when the last picture of a recording begins before a moment; nil where nobody can tell.
  package init<Shown: TimelineRecording>(
    ofCamera camera: String?, _ window: TimelineWindow, of timeline: Timeline<Shown>, hasRows: Bool,
    _ header: ListHeader, lastPicture: (Shown, UnixTimestamp) -> UnixTimestamp? = { _, _ in nil }
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

  /// Where an answer has to end so as not to be too long; nil where all of it fits.
  private static func endOfAnswer(_ timeline: Timeline<some TimelineRecording>, hasRows: Bool) -> UnixTimestamp? {
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

  /// In bytes: all but the names, which may need a little more for what has to be escaped.
  private static let spanLength = 80
  private static let rowLength = 64

  /// When the first and the last picture begin; the last one by how many there are in a second, where nobody can tell.
  private static func pictures<Shown: TimelineRecording>(
    in timeline: Timeline<Shown>, _ range: Range<UnixTimestamp>, _ lastPicture: (Shown, UnixTimestamp) -> UnixTimestamp?
  ) -> (first: UnixTimestamp, last: UnixTimestamp)? {
    let playable = timeline.spans.lazy.flatMap(\.entries).filter { $0.from < $0.to && !$0.recording.isRefused }
    guard let first = playable.first, let last = playable.max(by: { $0.to < $1.to }) else { return nil }
    let about = max(last.from, last.to.advanced(byMilliseconds: -last.recording.frameMilliseconds))
    let begins =
      lastPicture(last.recording, min(last.to, range.upperBound))
      ?? min(about, range.upperBound.advanced(byMilliseconds: -1))
    return (max(first.from, range.lowerBound), begins)
  }
}

/// What a timeline tells of a recording.
package protocol TimelineRecording {
  var name: String { get }
  /// By which its parts, or its version, are named; nil where it has none.
  var timelineTag: String? { get }
  var timelineState: CameraTimeline.Row.State { get }
  /// As of `RecordingItem`.
  var timelineShift: Int? { get }
  var note: CameraTimeline.Row.Note? { get }
  /// How long one picture is shown, in the mean; 0 where nobody knows.
  var frameMilliseconds: Int64 { get }
}

extension TimelineRecording {
  fileprivate var isRefused: Bool { timelineState == .refused }
}

extension CameraTimeline.Row {
  fileprivate init(_ entry: Timeline<some TimelineRecording>.Entry) {
    let recording = entry.recording
    self.init(
      name: recording.name, tag: recording.timelineTag, startedAt: entry.from,
      durationMilliseconds: entry.milliseconds, state: recording.timelineState, shift: recording.timelineShift,
      note: recording.note)
  }
}

extension RecordingItem: TimelineRecording {
  package var timelineTag: String? { tag?.text }

  package var timelineState: CameraTimeline.Row.State {
    switch state {
    case .ready: .ready
    case .recording: .recording
    case .refused, .other: .refused
    }
  }

  package var timelineShift: Int? { shift.map { Int($0) } }
  package var note: CameraTimeline.Row.Note? { isRecovered ? .recovered : nil }

  package var frameMilliseconds: Int64 {
    guard let rate = video?.frameRate, rate >= 1 else { return 0 }
    return Int64(1_000 / rate + 0.5)
  }
}
