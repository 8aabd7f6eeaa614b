package import FootageBase

/// The rules that derive a recording's camera and start from its path.
package struct RecordingNaming: Sendable {
  /// The operator's description of the recorder's file names; nil to apply the default rules.
  package let layout: RecordingLayout?
  /// The zone of times in names that state none.
  package let zone: TimeZoneRules

  package init(layout: RecordingLayout? = nil, zone: TimeZoneRules = .utc) {
    self.layout = layout
    self.zone = zone
  }

  /// The rules in words, for the log.
  package var words: String {
    let times = "times in names without a zone are read as \(zone.name)"
    guard let layout else { return times }
    let fixed = layout.zone.map { ", whose times are in \($0.name)" } ?? ""
    return "names are read by the layout \(layout.text)\(fixed); \(times)"
  }

  /// Returns the start of a recording according to its name alone; nil if the name contains no time.
  ///
  /// - Parameter name: the path below the recordings folder without its extension.
  package func moment(of name: String) -> UnixTimestamp? {
    meaning(of: name).time?.moment(in: zone, nearestTo: UnixTimestamp(milliseconds: 0))
  }

  /// The camera and time that a name contains.
  struct Meaning: Hashable, Sendable {
    let camera: String?
    /// The time in the name, which is in `zone` unless the name states another; nil if the name contains none.
    let time: NameTime?
    let zone: TimeZoneRules
    let isByLayout: Bool

    /// - Parameter now: the present; a creation time later than it is not used.
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
      time: NameTime.find(in: bytes, below: folders.day), zone: zone, isByLayout: false)
  }
}
