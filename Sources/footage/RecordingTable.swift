/// Recordings as a table for a terminal.

internal import FootageClient
internal import Formats
internal import ISOMedia
internal import RecordingLibrary

enum RecordingTable {
  /// A recording as far as the table shows it.
  struct Row {
    var name: String
    /// Seconds since 1970.
    var startedAt: Int64
    /// In seconds.
    var duration: Double?
    /// In bytes.
    var size: UInt64
    var picture: (width: Int, height: Int)?
    var state: String
  }

  static func text(_ recordings: [Row]) -> String {
    guard !recordings.isEmpty else { return "no recordings\n" }
    var rows = [["NAME", "STARTED (UTC)", "LENGTH", "SIZE", "VIDEO", "STATE"]]
    rows += recordings.map(cells)
    let columns = rows[0].indices
    let widths = columns.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      columns.map { column in
        let padding = String(repeating: " ", count: widths[column] - row[column].count)
        // Numbers stand at the right of their column, words at the left, and nothing follows the last one.
        if column == 2 || column == 3 { return padding + row[column] }
        return column == columns.last ? row[column] : row[column] + padding
      }.joined(separator: "  ") + "\n"
    }.joined()
  }

  private static func cells(_ recording: Row) -> [String] {
    let time = CivilTime(unixSeconds: recording.startedAt).rfc3339
    return [
      Terminal.printable(recording.name), String(time.dropLast()).split(separator: "T").joined(separator: " "),
      recording.duration.map(length) ?? "–", size(recording.size),
      recording.picture.map { "\($0.width)×\($0.height)" } ?? "–", Terminal.printable(recording.state),
    ]
  }

  /// `1:02:03` or `2:03`.
  static func length(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0, seconds < 1e9 else { return "–" }
    let whole = Int(seconds.rounded())
    let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return whole >= 3600
      ? "\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60))" : "\(whole / 60):\(two(whole % 60))"
  }

  /// Three digits or so, with a decimal unit, as disks are sold.
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

extension RecordingTable.Row {
  init(_ recording: Recording) {
    let state =
      switch recording.state {
      case .ready: recording.isRecovered ? "recovered" : "ready"
      case .recording: "recording"
      case .refused(let reason): "refused: \(reason)"
      }
    self.init(
      name: recording.name, startedAt: recording.startedAt.seconds, duration: recording.duration, size: recording.size,
      picture: recording.video.map { (Int($0.width), Int($0.height)) }, state: state)
  }

  init(_ recording: RobotRecording) {
    let state =
      switch recording.state {
      case .ready: recording.isRecovered ? "recovered" : "ready"
      case .recording: "recording"
      case .refused(let reason): "refused: \(reason)"
      case .other(let state): state
      }
    self.init(
      name: recording.name, startedAt: recording.startedAt.seconds, duration: recording.duration, size: recording.size,
      picture: recording.video.map { ($0.width, $0.height) }, state: state)
  }
}
