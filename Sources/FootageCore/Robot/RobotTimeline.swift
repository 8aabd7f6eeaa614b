package import FootageAPI
internal import FootageBase

/// A camera of a robot, with a summary of its recordings.
public struct RobotCamera: Hashable, Sendable {
  /// The name; nil for the recordings without a camera.
  public var name: String?
  /// The number of its recordings that can be played or are being recorded.
  public var recordingCount: Int
  /// The beginning of the camera's earliest recording.
  public var from: UnixTime
  /// The end of the camera's last recording, if known; for one that is being recorded, its present end.
  public var to: UnixTime
  /// True if one of the camera's recordings is being recorded.
  public var isLive: Bool
  /// The codec of the newest pictures, in RFC 6381 form: `avc1.64001F`; nil if there are none.
  public var codec: String?

  /// - Parameters:
  ///   - name: nil for the recordings without a camera.
  ///   - recordingCount: the number that can be played or are being recorded.
  ///   - from: the beginning of the earliest of them.
  ///   - to: the end of the last of them.
  ///   - isLive: whether one of them is being recorded.
  ///   - codec: in RFC 6381 form; nil if there are no pictures.
  public init(
    name: String?, recordingCount: Int, from: UnixTime, to: UnixTime, isLive: Bool = false, codec: String? = nil
  ) {
    self.name = name
    self.recordingCount = recordingCount
    self.from = from
    self.to = to
    self.isLive = isLive
    self.codec = codec
  }
}

/// The spans in which a camera of a robot recorded, within a time range. The time between two spans is a gap.
public struct RobotTimeline: Hashable, Sendable {
  /// A sequence of recordings without a gap of more than a second between them.
  public struct Span: Hashable, Sendable {
    /// The beginning of the span, not earlier than that of the requested range.
    public var from: UnixTime
    /// The end of the span, not later than that of the requested range; not included.
    public var to: UnixTime
    /// True if a recording begins more than a second before another one ends. Then each moment belongs to the recording
    /// that began last.
    public var overlaps: Bool
    /// The recordings of the span, in the order in which they begin.
    public var recordings: [Part]

    /// - Parameters:
    ///   - from: the beginning of the span.
    ///   - to: the end of the span; not included.
    ///   - overlaps: whether a recording begins before another one ends.
    ///   - recordings: in the order in which they begin.
    public init(from: UnixTime, to: UnixTime, overlaps: Bool = false, recordings: [Part]) {
      self.from = from
      self.to = to
      self.overlaps = overlaps
      self.recordings = recordings
    }
  }

  /// A recording that is part of a span.
  public struct Part: Hashable, Sendable {
    /// The name in the robot's list.
    public var name: String
    /// The time when the recording began, which may be earlier than the span.
    public var startedAt: UnixTime
    /// The duration of the whole recording in seconds; 0 if it is unknown.
    public var duration: Double
    /// Its state when it was listed. ``RobotRecording/state`` also has the reason why a recording is refused.
    public var state: State
    /// The tag of its version, or its ID while it grows; nil if it has none.
    var tag: String?
    /// The address of its film, if the robot was asked for it and is new enough to have one beside the tag.
    var film: String?

    /// - Parameters:
    ///   - name: as a robot lists it.
    ///   - startedAt: when the recording began.
    ///   - duration: in seconds; 0 if it is unknown.
    ///   - state: whether it can be played.
    public init(name: String, startedAt: UnixTime, duration: Double, state: State = .ready) {
      self.init(name: name, startedAt: startedAt, duration: duration, state: state, tag: nil)
    }

    init(name: String, startedAt: UnixTime, duration: Double, state: State, tag: String?, film: String? = nil) {
      self.name = name
      self.startedAt = startedAt
      self.duration = duration
      self.state = state
      self.tag = tag
      self.film = film
    }

    /// True if at least some of it can be played: all of it, or the complete fragments of a growing recording.
    public var canPlay: Bool { state == .ready || state == .recording && tag != nil }
  }

  /// The state of a recording in a span.
  public enum State: Hashable, Sendable {
    /// The recording can be played.
    case ready
    /// The recorder is still writing the recording.
    case recording
    /// The recording cannot be played.
    case refused
    /// A state that a later robot may report.
    case other(String)
  }

  /// The name of the camera; nil for the recordings without a camera.
  public var camera: String?
  /// The beginning of the requested range.
  public var from: UnixTime
  /// The end of the requested range; not included.
  public var to: UnixTime
  /// The moment at which its first picture begins to be shown; nil if there is nothing to show.
  public var first: UnixTime?
  /// The moment at which its last picture begins to be shown; nil if there is nothing to show.
  public var last: UnixTime?
  /// The spans in order, with gaps of more than a second between them.
  public var spans: [Span]

  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - from: the beginning of the requested range.
  ///   - to: its end; not included.
  ///   - first: the moment at which the first picture begins to be shown.
  ///   - last: the moment at which the last picture begins to be shown.
  ///   - spans: in order, with gaps between them.
  public init(
    camera: String?, from: UnixTime, to: UnixTime, first: UnixTime? = nil, last: UnixTime? = nil, spans: [Span]
  ) {
    self.camera = camera
    self.from = from
    self.to = to
    self.first = first
    self.last = last
    self.spans = spans
  }
}

extension RobotCamera {
  init(_ camera: CameraList.Camera) {
    self.init(
      name: camera.name, recordingCount: camera.recordingCount, from: UnixTime(camera.from), to: UnixTime(camera.to),
      isLive: camera.isLive, codec: camera.codec)
  }

  /// The camera as an item of the robot's camera list.
  package var item: CameraList.Camera {
    CameraList.Camera(
      name: name, recordingCount: recordingCount, from: UnixTimestamp(from), to: UnixTimestamp(to), isLive: isLive,
      codec: codec)
  }
}

extension RobotTimeline {
  /// - Parameter answer: the first answer, with the whole requested range.
  init(_ answer: CameraTimeline) {
    self.init(
      camera: answer.camera, from: UnixTime(answer.from), to: UnixTime(answer.to),
      first: answer.first.map(UnixTime.init), last: answer.last.map(UnixTime.init),
      spans: answer.spans.map(Span.init))
  }

  /// Appends the answer that continues this timeline. A recording that crosses the boundary is in both answers.
  mutating func append(_ next: CameraTimeline) {
    first = first ?? next.first.map(UnixTime.init)
    last = next.last.map(UnixTime.init) ?? last
    var rest = next.spans.map(Span.init)[...]
    if let open = spans.last, let more = rest.first, more.from.milliseconds(since: open.to) <= Self.joinMilliseconds {
      rest.removeFirst()
      // Names are compared by their bytes.
      let known = Set(open.recordings.map { Array($0.name.utf8) })
      spans[spans.count - 1].to = max(open.to, more.to)
      spans[spans.count - 1].overlaps = open.overlaps || more.overlaps
      spans[spans.count - 1].recordings += more.recordings.filter { !known.contains(Array($0.name.utf8)) }
    }
    spans += rest
  }

  private static let joinMilliseconds = TimelineRule.joinMilliseconds

  /// The number of spans and recordings in it.
  var partCount: Int { spans.reduce(spans.count) { $0 + $1.recordings.count } }
}

extension RobotTimeline.Span {
  fileprivate init(_ span: CameraTimeline.Span) {
    self.init(
      from: UnixTime(span.from), to: UnixTime(span.to), overlaps: span.overlaps,
      recordings: (span.recordings ?? []).map(RobotTimeline.Part.init))
  }
}

extension RobotTimeline.Part {
  fileprivate init(_ row: CameraTimeline.Row) {
    let state: RobotTimeline.State =
      switch row.state {
      case .ready: .ready
      case .recording: .recording
      case .refused: .refused
      case .other(let word): .other(word)
      }
    self.init(
      name: row.name, startedAt: UnixTime(row.startedAt), duration: Double(row.durationMilliseconds) / 1_000,
      state: state, tag: row.tag, film: row.film)
  }
}

extension UnixTime {
  init(_ moment: UnixTimestamp) { self.init(seconds: moment.seconds, milliseconds: moment.millisecondsOfSecond) }

  /// Returns the difference, clamped to `Int64`; negative if this time is earlier than the other one.
  fileprivate func milliseconds(since other: UnixTime) -> Int64 {
    let (own, others) = (UnixTimestamp(self).milliseconds, UnixTimestamp(other).milliseconds)
    let (difference, overflows) = own.subtractingReportingOverflow(others)
    return overflows ? (own < others ? .min : .max) : difference
  }
}
