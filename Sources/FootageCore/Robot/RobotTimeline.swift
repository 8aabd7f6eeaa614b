package import FootageAPI
internal import FootageBase

/// A camera of a robot, by what there is of it.
public struct RobotCamera: Hashable, Sendable {
  /// Nil for the recordings without a camera.
  public var name: String?
  /// How many recordings can be played or are being recorded.
  public var recordingCount: Int
  /// When the earliest of them begins.
  public var from: UnixTime
  /// When the last of them ends, as far as is known.
  public var to: UnixTime
  /// Whether one of them is being recorded.
  public var isLive: Bool
  /// Of the newest pictures, RFC 6381: `avc1.64001F`; nil where there are none.
  public var codec: String?

  /// - Parameters:
  ///   - name: nil for the recordings without a camera.
  ///   - recordingCount: how many can be played or are being recorded.
  ///   - from: when the earliest of them begins.
  ///   - to: when the last of them ends.
  ///   - isLive: whether one of them is being recorded.
  ///   - codec: RFC 6381; nil where there are no pictures.
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

/// When a camera of a robot recorded: the spans of a time, and by their absence its gaps.
public struct RobotTimeline: Hashable, Sendable {
  /// Recordings without a gap of more than a second between them.
  public struct Span: Hashable, Sendable {
    /// When it begins, not before the time that was asked for.
    public var from: UnixTime
    /// When it ends, not behind that time; not included.
    public var to: UnixTime
    /// Whether a recording begins more than a second before another one ends. Then each moment belongs to the one that
    /// began last.
    public var overlaps: Bool
    /// What it is made of, in the order in which they begin.
    public var recordings: [Part]

    /// - Parameters:
    ///   - from: when it begins.
    ///   - to: when it ends; not included.
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
    /// As the robot lists it.
    public var name: String
    /// When it began; that may be before the span.
    public var startedAt: UnixTime
    /// In seconds, all of it; 0 where it is not known.
    public var duration: Double
    /// As it was when it was listed. The reason why one is refused is in ``RobotRecording/state``.
    public var state: State
    /// What the addresses of its film begin with; nil where it has none.
    var tag: String?

    /// - Parameters:
    ///   - name: as a robot lists it.
    ///   - startedAt: when it began.
    ///   - duration: in seconds; 0 where it is not known.
    ///   - state: whether it can be played.
    public init(name: String, startedAt: UnixTime, duration: Double, state: State = .ready) {
      self.init(name: name, startedAt: startedAt, duration: duration, state: state, tag: nil)
    }

    init(name: String, startedAt: UnixTime, duration: Double, state: State, tag: String?) {
      self.name = name
      self.startedAt = startedAt
      self.duration = duration
      self.state = state
      self.tag = tag
    }

    /// Whether some of it can be played: all of it, or what is whole of what grows.
    public var canPlay: Bool { state == .ready || state == .recording && tag != nil }
  }

  /// Whether a part of a span can be played.
  public enum State: Hashable, Sendable {
    /// It can be played.
    case ready
    /// The recorder writes to it.
    case recording
    /// It cannot be played.
    case refused
    /// What a later robot may come to say.
    case other(String)
  }

  /// Nil for the recordings without a camera.
  public var camera: String?
  /// The time that was asked for.
  public var from: UnixTime
  /// Not included.
  public var to: UnixTime
  /// When the first picture in it begins to be shown; nil where there is nothing to be shown.
  public var first: UnixTime?
  /// When the last one does.
  public var last: UnixTime?
  /// In order, with gaps of more than a second between them.
  public var spans: [Span]

  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - from: the time that was asked for.
  ///   - to: not included.
  ///   - first: when the first picture in it begins to be shown.
  ///   - last: when the last one does.
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

  /// As robot and app write it.
  package var item: CameraList.Camera {
    CameraList.Camera(
      name: name, recordingCount: recordingCount, from: UnixTimestamp(from), to: UnixTimestamp(to), isLive: isLive,
      codec: codec)
  }
}

extension RobotTimeline {
  /// - Parameter answer: the first one, with the whole time that was asked for.
  init(_ answer: CameraTimeline) {
    self.init(
      camera: answer.camera, from: UnixTime(answer.from), to: UnixTime(answer.to),
      first: answer.first.map(UnixTime.init), last: answer.last.map(UnixTime.init),
      spans: answer.spans.map(Span.init))
  }

  /// Adds the answer that goes on where this one ends. What reaches over that end is in both.
  mutating func append(_ next: CameraTimeline) {
    first = first ?? next.first.map(UnixTime.init)
    last = next.last.map(UnixTime.init) ?? last
    var rest = next.spans.map(Span.init)[...]
    if let open = spans.last, let more = rest.first, more.from.milliseconds(since: open.to) <= Self.joinMilliseconds {
      rest.removeFirst()
      // Names are told apart by their bytes.
      let known = Set(open.recordings.map { Array($0.name.utf8) })
      spans[spans.count - 1].to = max(open.to, more.to)
      spans[spans.count - 1].overlaps = open.overlaps || more.overlaps
      spans[spans.count - 1].recordings += more.recordings.filter { !known.contains(Array($0.name.utf8)) }
    }
    spans += rest
  }

  private static let joinMilliseconds = TimelineRule.joinMilliseconds

  /// How much there is of it.
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
      state: state, tag: row.tag)
  }
}

extension UnixTime {
  init(_ moment: UnixTimestamp) { self.init(seconds: moment.seconds, milliseconds: moment.millisecondsOfSecond) }

  /// Clamped; negative where it lies before the other one.
  fileprivate func milliseconds(since other: UnixTime) -> Int64 {
    let (own, others) = (UnixTimestamp(self).milliseconds, UnixTimestamp(other).milliseconds)
    let (difference, overflows) = own.subtractingReportingOverflow(others)
    return overflows ? (own < others ? .min : .max) : difference
  }
}
