internal import FootageAnswers
package import FootageAPI
package import FootageBase
package import FootageLibrary

extension CameraTimeline {
  /// Returns the timeline of a camera for a period, as the JSON document that this robot serves. The cost depends on
  /// the number of recordings found. Blocks.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - range: at most as long as one answer covers.
  ///   - robot: the robot's name; nil for the machine's name.
  /// - Returns: nil if there is no such camera.
  package static func document(
    ofCamera camera: String?, in range: Range<UnixTimestamp>, _ library: RecordingLibrary, robot: String?
  ) -> [UInt8]? {
    let query = TimelineQuery(from: range.lowerBound, to: range.upperBound)
    let header = ListHeader(
      robot: .ofThisMachine(name: robot, zone: library.naming.zone.name), may: [])
    guard let window = try? TimelineWindow(query, now: library.now),
      let timeline = CameraTimeline(
        ofCamera: camera, window, in: VisibleRecordings(library.snapshot, of: .all), rows: .listed, header,
        lastPicture: { library.lastPicture(of: $0, before: $1) })
    else { return nil }
    var json = JSONWriter()
    timeline.write(into: &json)
    return json.document
  }

  /// Creates the timeline of a camera for a period, with the recordings that a viewer may see. The cost depends on the
  /// number of recordings found, so it is not for an event loop.
  ///
  /// - Parameters:
  ///   - camera: nil for the recordings without a camera.
  ///   - rows: the amount of detail about the recordings of each span.
  ///   - lastPicture: returns the time of the last picture of a recording that begins before a moment, or nil if it is
  ///     unknown.
  /// - Returns: nil if there is no such camera that the viewer may see.
  init?(
    ofCamera camera: String?, _ window: TimelineWindow, in recordings: VisibleRecordings, rows: TimelineQuery.Rows,
    _ header: ListHeader, lastPicture: (Recording, UnixTimestamp) -> UnixTimestamp? = { _, _ in nil }
  ) {
    guard let found = recordings.recordings(ofCamera: camera, reachingInto: window.part) else { return nil }
    let entries = found.map { recording in
      let entry = recording.timelineEntry
      return Timeline<TimelineItem>.Entry(TimelineItem(recording), from: entry.from, to: entry.to)
    }
    self.init(ofCamera: camera, window, of: Timeline(entries, in: window.part), rows: rows, header) {
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
      name: recording.name, tag: recording.film?.id.text ?? recording.versionTag?.text,
      film: { recording.filmAddress }, state: state,
      shift: recording.content?.index?.shift.map { Int($0) }, note: note,
      frameMilliseconds: recording.frameMilliseconds)
  }
}
