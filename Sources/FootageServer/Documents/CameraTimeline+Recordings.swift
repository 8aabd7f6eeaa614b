package import FootageAPI
package import FootageBase
package import FootageLibrary

extension CameraTimeline {
  /// What there is of a camera over a time, on the robot itself, as the robot says it: a JSON document. Costs what it
  /// finds; blocks.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - range: no longer than one answer has.
  ///   - robot: its name; nil for that of the machine.
  /// - Returns: nil where there is no such camera.
  package static func document(
    ofCamera camera: String?, in range: Range<UnixTimestamp>, _ library: RecordingLibrary, robot: String?
  ) -> [UInt8]? {
    let query = TimelineQuery(from: range.lowerBound, to: range.upperBound)
    let header = ListHeader(
      robot: .ofThisMachine(name: robot, zone: library.naming.zone.name), may: [])
    guard let window = try? TimelineWindow(query, now: library.now),
      let timeline = CameraTimeline(
        ofCamera: camera, window, in: VisibleRecordings(library.snapshot, of: .all), hasRows: true, header,
        lastPicture: { library.lastPicture(of: $0, before: $1) })
    else { return nil }
    var json = JSONWriter()
    timeline.write(into: &json)
    return json.document
  }

  /// What somebody may see of a camera over a time. Costs what it finds: not for an event loop.
  ///
  /// - Parameters:
  ///   - camera: nil for recordings without a camera.
  ///   - hasRows: whether each span says which recordings it is made of.
  ///   - lastPicture: when the last picture of a recording begins before a moment; nil where nobody can tell.
  /// - Returns: nil where there is no such camera for them.
  init?(
    ofCamera camera: String?, _ window: TimelineWindow, in recordings: VisibleRecordings, hasRows: Bool,
    _ header: ListHeader, lastPicture: (Recording, UnixTimestamp) -> UnixTimestamp? = { _, _ in nil }
  ) {
    guard let timeline = recordings.timeline(ofCamera: camera, in: window.part) else { return nil }
    self.init(ofCamera: camera, window, of: timeline, hasRows: hasRows, header, lastPicture: lastPicture)
  }

  /// The same of what reaches into the window's part, wherever it was found.
  init<Shown: TimelineRecording>(
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
protocol TimelineRecording {
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

extension Recording: TimelineRecording {
  var timelineTag: String? { film?.id.text ?? versionTag?.text }

  var timelineState: CameraTimeline.Row.State {
    switch state {
    case .ready: .ready
    case .recording: .recording
    case .refused: .refused
    }
  }

  var timelineShift: Int? { content?.index?.shift.map { Int($0) } }

  var note: CameraTimeline.Row.Note? {
    if case .refused(_, isCutOff: true) = state { .cutOff } else { isRecovered ? .recovered : nil }
  }
}

extension RecordingItem: TimelineRecording {
  var timelineTag: String? { tag?.text }

  var timelineState: CameraTimeline.Row.State {
    switch state {
    case .ready: .ready
    case .recording: .recording
    case .refused, .other: .refused
    }
  }

  var timelineShift: Int? { shift.map { Int($0) } }
  var note: CameraTimeline.Row.Note? { isRecovered ? .recovered : nil }

  var frameMilliseconds: Int64 {
    guard let rate = video?.frameRate, rate >= 1 else { return 0 }
    return Int64(1_000 / rate + 0.5)
  }
}
