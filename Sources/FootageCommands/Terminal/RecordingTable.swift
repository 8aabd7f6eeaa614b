internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageMedia
internal import FootageLibrary

/// Recordings as a table for a terminal.
enum RecordingTable {
  /// The fields of a recording that the table shows.
  struct Row {
    var name: String
    var startedAt: UnixTimestamp
    /// The length of the recording, in seconds.
    var duration: Double?
    /// The size of the recording, in bytes.
    var size: UInt64
    var picture: (width: Int, height: Int)?
    var state: String
  }

  /// The width above which a name is shortened if most other names are shorter. It applies even if the terminal is
  /// wider.
  private static let usualName = 32
  /// The smallest width that a reason for refusing a recording gets, if there is one.
  private static let leastState = 14
  /// The smallest width of a name. A shorter part would not identify the recording.
  private static let leastName = 8

  /// - Parameters:
  ///   - zone: the time zone of the times that are shown.
  ///   - columns: the width of the terminal; nil if the output has no limited width, so that nothing is shortened.
  static func text(_ recordings: [Row], in zone: TimeZoneRules, columns: Int?) -> String {
    guard !recordings.isEmpty else { return "no recordings\n" }
    let place = columns == nil ? zone.name : String(zone.name.split(separator: "/").last ?? "UTC")
    typealias Column = TextTable.Column
    var table = [
      Column("NAME", recordings.map { Terminal.printable($0.name) }),
      Column("STARTED (\(place))", recordings.map { started($0, in: zone) }),
      Column("LENGTH", recordings.map { $0.duration.map(length) ?? "–" }, isNumber: true),
      Column("SIZE", recordings.map { size($0.size) }, isNumber: true),
      Column("VIDEO", recordings.map { $0.picture.map { "\($0.width)×\($0.height)" } ?? "–" }),
      Column("STATE", recordings.map { Terminal.printable($0.state) }, isSentence: true),
    ]
    // Some terminals begin a new line after their last column.
    if let columns { fit(&table, to: max(0, columns - 1)) }
    return TextTable(columns: table).text
  }

  /// Drops the least important columns, and divides the remaining width between names and states.
  private static func fit(_ table: inout [TextTable.Column], to room: Int) {
    // A name of more than twice the median length does not widen the column.
    let names = table[0].widths.sorted()
    let usual = max(names.last { $0 <= names[names.count / 2] * 2 } ?? 0, usualName)
    let wanted = min(table[0].width, usual, max(usualName, room * 2 / 5))
    let leastState = min(table[table.count - 1].width, leastState)
    func rest() -> Int { table.dropFirst().dropLast().reduce(room) { $0 - $1.width - 2 } - 2 }
    // The size of the picture goes first, then the byte count, then the length.
    while table.count > 3, rest() < wanted + leastState { table.remove(at: table.count - 2) }
    table[0].width = max(leastName, min(wanted, rest() - leastState))
    table[table.count - 1].width = max(0, rest() - table[0].width)
  }

  private static func started(_ recording: Row, in zone: TimeZoneRules) -> String {
    MomentText.text(recording.startedAt, in: zone)
  }

  /// Returns a length like `1:02:03` or `2:03`.
  static func length(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "–" }
    let whole = Int(seconds.rounded())
    let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return whole >= 3600
      ? "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))" : "\(whole / 60):\(two(whole % 60))"
  }

  /// Returns a size with about three digits and a decimal unit, as on the labels of disks.
  static func size(_ bytes: UInt64) -> String {
    var value = Double(bytes)
    for unit in ["B", "kB", "MB", "GB"] {
      if value < 999.5 {
        return unit == "B" || value >= 99.95
          ? "\(Int(value.rounded())) \(unit)" : "\((value * 10).rounded() / 10) \(unit)"
      }
      value /= 1000
    }
    return "\((value * 10).rounded() / 10) TB"
  }
}

/// A moment as the clocks of a time zone show it.
enum MomentText {
  /// Returns a time like `2026-11-20 11:15:30`.
  static func text(_ moment: UnixTimestamp, in zone: TimeZoneRules) -> String {
    let time = zone.civilTime(at: moment.seconds)
    return "\(time.dateText) \(time.timeText)"
  }

  /// Returns a time like `2026-10-25 02:30:00 +0100`. It is unambiguous even in the hour that clocks show twice.
  static func exact(_ moment: UnixTimestamp, in zone: TimeZoneRules) -> String {
    let offset = zone.offsetSeconds(at: moment.seconds)
    let minutes = offset.magnitude / 60
    let two = { (number: UInt) in number < 10 ? "0\(number)" : "\(number)" }
    return "\(text(moment, in: zone)) \(offset < 0 ? "-" : "+")\(two(minutes / 60))\(two(minutes % 60))"
  }
}

extension RecordingTable.Row {
  /// - Parameter now: the present time, by which recordings in the future are marked.
  init(_ recording: Recording, now: UnixTimestamp) {
    let state =
      switch recording.state {
      case .ready: recording.isRecovered ? "recovered" : "ready"
      case .recording: "recording"
      case .refused(let reason, _): "refused: \(reason)"
      }
    self.init(
      name: recording.name, startedAt: recording.startedAt, duration: recording.duration, size: recording.size,
      picture: recording.video.map { (Int($0.width), Int($0.height)) },
      state: Self.marked(state, recording.isInFuture(at: now)))
  }

  init(_ recording: RobotRecording) { self.init(recording.item) }

  init(_ item: RecordingItem) {
    let state =
      switch item.state {
      case .ready: item.isRecovered ? "recovered" : "ready"
      case .recording: "recording"
      case .refused(let reason): "refused: \(reason)"
      case .other(let state): state
      }
    self.init(
      name: item.name, startedAt: item.startedAt, duration: item.duration, size: item.size,
      picture: item.video.map { ($0.width, $0.height) }, state: Self.marked(state, item.isInFuture))
  }

  private static func marked(_ state: String, _ isInFuture: Bool) -> String {
    isInFuture ? "\(state), dated in the future" : state
  }
}

extension UnixTimestamp {
  init(_ moment: UnixTime) { self.init(seconds: moment.seconds, milliseconds: moment.milliseconds) }
}

extension UnixTime {
  init(_ moment: UnixTimestamp) { self.init(seconds: moment.seconds, milliseconds: moment.millisecondsOfSecond) }
}
