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
    guard let found = recordings.recordings(ofCamera: camera, reachingInto: window.part) else { return nil }
    let entries = found.map { recording in
      let entry = recording.timelineEntry
      return Timeline<TimelineItem>.Entry(TimelineItem(recording), from: entry.from, to: entry.to)
    }
    self.init(ofCamera: camera, window, of: Timeline(entries, in: window.part), hasRows: hasRows, header) {
      item, moment in
      recordings.recording(named: item.name).flatMap { lastPicture($0, moment) }
    }
  }
}

extension TimelineItem {
  fileprivate init(_ recording: Recording) {
    let state: CameraTimeline.Row.State =
      switch recording.state {
      case .ready: .ready
      case .recording: .recording
      case .refused: .refused
      }
    let note: CameraTimeline.Row.Note? =
      if case .refused(_, isCutOff: true) = recording.state { .cutOff } else {
        recording.isRecovered ? .recovered : nil
      }
    self.init(
      name: recording.name, tag: recording.film?.id.text ?? recording.versionTag?.text, state: state,
      shift: recording.content?.index?.shift.map { Int($0) }, note: note,
      frameMilliseconds: recording.frameMilliseconds)
  }
}
