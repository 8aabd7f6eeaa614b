internal import FootageAnswers
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
}

extension Recording: TimelineRecording {
  package var timelineTag: String? { film?.id.text ?? versionTag?.text }

  package var timelineState: CameraTimeline.Row.State {
    switch state {
    case .ready: .ready
    case .recording: .recording
    case .refused: .refused
    }
  }

  package var timelineShift: Int? { content?.index?.shift.map { Int($0) } }

  package var note: CameraTimeline.Row.Note? {
    if case .refused(_, isCutOff: true) = state { .cutOff } else { isRecovered ? .recovered : nil }
  }
}
