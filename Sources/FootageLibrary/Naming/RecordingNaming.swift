package import FootageBase

/// What names say: the rules by which a camera and a start follow from a path.
package struct RecordingNaming: Sendable {
  /// How the operator says that the recorder names its files; nil leaves it to the usual rules.
  package let layout: RecordingLayout?
  /// Of the times in names that name no zone.
  package let zone: TimeZoneRules

  package init(layout: RecordingLayout? = nil, zone: TimeZoneRules = .utc) {
    self.layout = layout
    self.zone = zone
  }

  /// For the log.
  package var words: String {
    let times = "times in names that name no zone are read as those of \(zone.name)"
    guard let layout else { return times }
    let fixed = layout.zone.map { ", whose times are those of \($0.name)" } ?? ""
    return "names are read by the layout \(layout.text)\(fixed); \(times)"
  }

  /// When a recording began as far as its name alone tells; nil where it does not.
  ///
  /// - Parameter name: the path below the recordings folder without its extension.
  package func moment(of name: String) -> UnixTimestamp? {
    meaning(of: name).time?.moment(in: zone, nearestTo: UnixTimestamp(milliseconds: 0))
  }

  /// What a name tells by itself.
  struct Meaning: Hashable, Sendable {
    let camera: String?
    /// With the zone that holds for it; nil where the name tells no time.
    let time: NameTime?
    let zone: TimeZoneRules
    let isByLayout: Bool

    /// - Parameter now: for what lies in the future.
    func start(_ witnesses: TimeWitnesses, now: UnixTimestamp) -> StartTime {
      if let time {
        return StartTime(time.moment(in: zone, nearestTo: witnesses.fileStart), isByLayout ? .layout : .name)
      }
      if let creation = witnesses.creation(now: now) { return StartTime(creation, .creation) }
      return StartTime(witnesses.fileStart, .file)
    }
  }

  /// - Parameter name: the path below the recordings folder without its extension.
  func meaning(of name: String) -> Meaning {
    let bytes = Array(name.utf8)
    if let layout, let match = layout.match(bytes) {
      return Meaning(
        camera: match.camera.map { String(decoding: $0, as: UTF8.self) }, time: match.time,
        zone: layout.zone ?? zone, isByLayout: true)
    }
    let folders = FolderDates(bytes)
    return Meaning(
      camera: folders.camera.map { String(decoding: $0, as: UTF8.self) },
      time: NameTime.last(in: bytes, below: folders.day), zone: zone, isByLayout: false)
  }
}
