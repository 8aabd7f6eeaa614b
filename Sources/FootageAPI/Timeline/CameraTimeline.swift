package import FootageBase

/// The footage of a camera over a time: the answer to `GET /cameras/CAM.json`.
package struct CameraTimeline: Hashable, Sendable {
  /// A recording that is part of a span.
  package struct Row: Hashable, Sendable {
    package enum State: Hashable, Sendable {
      case ready, recording, refused
      /// A state that this version does not know, in the robot's word for it.
      case other(String)
    }

    /// A note that the recorder was cut off while it wrote this recording.
    package enum Note: String, Hashable, Sendable {
      /// The recorder was cut off. The served recording ends with the last complete fragment.
      case recovered
      /// The recorder was cut off, and nothing in the file can be played.
      case cutOff = "cut-off"
    }

    package var name: String
    /// The tag that names the recording's version in URLs, or its ID while it grows; nil if it has none.
    package var tag: String?
    package var startedAt: UnixTimestamp
    /// The whole duration, including the part outside the requested time; 0 if unknown.
    package var durationMilliseconds: Int64
    package var state: State
    /// The number of seconds by which the times in the segments are later than those in the recording; nil if unknown.
    package var shift: Int?
    package var note: Note?
    /// The address of the recording's film; nil if it has none, or if the client did not ask for it.
    package var film: String?

    package init(
      name: String, tag: String?, startedAt: UnixTimestamp, durationMilliseconds: Int64, state: State, shift: Int?,
      note: Note? = nil, film: String? = nil
    ) {
      self.name = name
      self.tag = tag
      self.startedAt = startedAt
      self.durationMilliseconds = durationMilliseconds
      self.state = state
      self.shift = shift
      self.note = note
      self.film = film
    }
  }

  /// A series of recordings without a gap of more than a second between them.
  package struct Span: Hashable, Sendable {
    package var from: UnixTimestamp
    /// The end of the span, which is not included.
    package var to: UnixTimestamp
    /// True if a recording begins more than a second before another one ends.
    package var overlaps: Bool
    /// The recordings, in the order in which they begin; nil if the client did not ask for them.
    package var recordings: [Row]?

    package init(from: UnixTimestamp, to: UnixTimestamp, overlaps: Bool, recordings: [Row]?) {
      self.from = from
      self.to = to
      self.overlaps = overlaps
      self.recordings = recordings
    }
  }

  package var header: ListHeader
  /// The camera; nil for the recordings without a camera.
  package var camera: String?
  /// The beginning of the requested time.
  package var from: UnixTimestamp
  /// The end of the requested time, which is not included.
  package var to: UnixTimestamp
  /// The time when the first picture in these spans begins; nil if there are no pictures.
  package var first: UnixTimestamp?
  /// The time when the last picture in these spans begins; nil if there are no pictures.
  package var last: UnixTimestamp?
  /// The spans in order, with gaps of more than a second between them.
  package var spans: [Span]
  /// The position where the next answer continues; nil if there is no more.
  package var next: TimelineCursor?

  package init(
    header: ListHeader, camera: String?, from: UnixTimestamp, to: UnixTimestamp, first: UnixTimestamp?,
    last: UnixTimestamp?, spans: [Span], next: TimelineCursor?
  ) {
    self.header = header
    self.camera = camera
    self.from = from
    self.to = to
    self.first = first
    self.last = last
    self.spans = spans
    self.next = next
  }
}

extension CameraTimeline {
  /// - Returns: nil if a member that every timeline has is missing or has the wrong type.
  package init?(_ json: JSONValue) {
    guard let from = json["from"].flatMap(UnixTimestamp.init), let to = json["to"].flatMap(UnixTimestamp.init),
      let elements = json["spans"]?.array, let next = json["next"], next.isNull || next.string != nil
    else { return nil }
    let spans = elements.compactMap(Span.init)
    guard spans.count == elements.count else { return nil }
    self.init(
      header: ListHeader(json), camera: json["camera"]?.string, from: from, to: to,
      first: json["first"].flatMap(UnixTimestamp.init), last: json["last"].flatMap(UnixTimestamp.init), spans: spans,
      next: next.string.map { TimelineCursor(text: $0) })
  }

  /// Writes the timeline as one JSON object.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      header.write(into: &json)
      json.member("camera", camera)
      json.member("from", from.milliseconds)
      json.member("to", to.milliseconds)
      json.member("first", first?.milliseconds)
      json.member("last", last?.milliseconds)
      json.member("spans") { json in json.array(spans) { json, span in span.write(into: &json) } }
      json.member("next", next?.text)
    }
  }
}

extension CameraTimeline.Span {
  fileprivate init?(_ json: JSONValue) {
    guard let from = json["from"].flatMap(UnixTimestamp.init), let to = json["to"].flatMap(UnixTimestamp.init),
      let overlaps = json["overlaps"]?.bool
    else { return nil }
    var rows: [CameraTimeline.Row]?
    if let elements = json["recordings"]?.array {
      let read = elements.compactMap(CameraTimeline.Row.init)
      guard read.count == elements.count else { return nil }
      rows = read
    }
    self.init(from: from, to: to, overlaps: overlaps, recordings: rows)
  }

  fileprivate func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("from", from.milliseconds)
      json.member("to", to.milliseconds)
      json.member("overlaps", overlaps)
      guard let recordings else { return }
      json.member("recordings") { json in json.array(recordings) { json, row in row.write(into: &json) } }
    }
  }
}

extension CameraTimeline.Row {
  /// The position of the film's address. The value before it, which is null, is for a later version.
  private static let filmColumn = 8

  /// Reads a row. It is an array, since there are thousands of rows; a later robot may append more values to the known
  /// ones.
  fileprivate init?(_ json: JSONValue) {
    guard let values = json.array, values.count >= 6, let name = values[0].string, !name.isEmpty,
      let startedAt = UnixTimestamp(values[2]), let duration: Int64 = values[3].integer(), duration >= 0,
      let state = values[4].string
    else { return nil }
    self.init(
      name: name, tag: values[1].string, startedAt: startedAt, durationMilliseconds: duration, state: State(state),
      shift: values[5].integer(), note: values.count > 6 ? values[6].string.flatMap(Note.init(rawValue:)) : nil,
      film: values.count > Self.filmColumn ? values[Self.filmColumn].string : nil)
  }

  fileprivate func write(into json: inout JSONWriter) {
    json.array { json in
      json.value(name)
      json.value(tag)
      json.value(startedAt.milliseconds)
      json.value(durationMilliseconds)
      json.value(state.word)
      json.value(shift.map { Int64($0) })
      guard note != nil || film != nil else { return }
      json.value(note?.rawValue)
      guard let film else { return }
      json.value(String?.none)
      json.value(film)
    }
  }
}

extension CameraTimeline.Row.State {
  fileprivate init(_ word: String) {
    self =
      switch word {
      case "ready": .ready
      case "recording": .recording
      case "refused": .refused
      default: .other(word)
      }
  }

  fileprivate var word: String {
    switch self {
    case .ready: "ready"
    case .recording: "recording"
    case .refused: "refused"
    case .other(let word): word
    }
  }
}

extension UnixTimestamp {
  /// Reads milliseconds since 1970.
  fileprivate init?(_ json: JSONValue) {
    guard let milliseconds: Int64 = json.integer() else { return nil }
    self.init(milliseconds: milliseconds)
  }
}
