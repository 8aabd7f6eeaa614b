package import Formats

/// An inspection as text for a person and as JSON for programs.
extension Inspection {
  /// For a person: the verdict, the tracks, the boxes; lines with their ends.
  package var text: String {
    var lines = ["\(length) bytes", ""]
    lines += verdictLines
    if !tracks.isEmpty {
      lines += ["", "tracks"]
      lines += tracks.map { "  \(Self.description(of: $0))" }
    }
    lines += ["", Self.column("byte") + Self.column("size") + "  box"]
    for box in boxes { append(box, indent: "  ", to: &lines) }
    if isAbridged { lines.append("  … and more, which are not shown") }
    return lines.joined(separator: "\n") + "\n"
  }

  private var verdictLines: [String] {
    switch verdict {
    case .ready(let index):
      var line = "ready: "
      if index.preamble.isEmpty {
        line += "served as it is"
      } else {
        line += "served with a head of \(index.preamble.count) bytes before "
        line += index.body.map { "bytes \($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
      }
      return [line] + (index.isRecovered ? ["recovered: the file is cut off or broken at its end"] : [])
        + index.notes.map { "note: \($0)" }
    case .incomplete(let error): return ["incomplete: \(error)"]
    case .refused(let error): return ["refused: \(error)"]
    }
  }

  private static func description(of track: TrackSummary) -> String {
    var parts = ["\(track.id)  \(track.handler)  \(track.sampleEntry?.codec ?? "no codec")"]
    if let entry = track.sampleEntry {
      if entry.width > 0 { parts.append("\(entry.width)×\(entry.height)") }
      if entry.channels > 0 { parts.append("\(entry.sampleRate) Hz, \(entry.channels) channels") }
    }
    if track.handler == "vide", let rate = track.rate { parts.append("\(rounded(rate)) frames/s") }
    parts.append("\(track.sampleCount) \(track.sampleCount == 1 ? "sample" : "samples")")
    parts.append("\(rounded(track.duration)) s")
    return parts.joined(separator: ", ")
  }

  private static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

  private func append(_ box: Node, indent: String, to lines: inout [String]) {
    let fault = box.fault.map { "  ← \($0)" } ?? ""
    lines.append("\(Self.column("\(box.offset)"))\(Self.column("\(box.size)"))\(indent)\(box.type)\(fault)")
    for child in box.children { append(child, indent: indent + "  ", to: &lines) }
  }

  private static func column(_ text: String) -> String {
    String(repeating: " ", count: max(1, 14 - text.utf8.count)) + text
  }

  /// For programs: one object; offsets and sizes in bytes, durations in seconds.
  package func write(json: inout JSONWriter) {
    json.object { json in
      json.member("length", length)
      switch verdict {
      case .ready(let index):
        json.member("outcome", "ready")
        json.member("headLength", index.preamble.count)
        json.member("body") { json in
          json.array(index.body) { json, range in
            json.object {
              $0.member("offset", range.lowerBound)
              $0.member("length", range.upperBound - range.lowerBound)
            }
          }
        }
        json.member("recovered", index.isRecovered)
        json.member("notes") { $0.array(index.notes) { $0.value($1) } }
      case .incomplete(let error):
        json.member("outcome", "incomplete")
        json.member("reason", error.description)
      case .refused(let error):
        json.member("outcome", "refused")
        json.member("reason", error.description)
      }
      json.member("tracks") { $0.array(tracks) { Self.write($1, to: &$0) } }
      json.member("boxes") { $0.array(boxes) { Self.write($1, to: &$0) } }
      json.member("abridged", isAbridged)
    }
  }

  private static func write(_ track: TrackSummary, to json: inout JSONWriter) {
    json.object {
      $0.member("id", track.id)
      $0.member("handler", "\(track.handler)")
      $0.member("codec", track.sampleEntry?.codec)
      $0.member("samples", track.sampleCount)
      $0.member("duration", track.duration)
      if let entry = track.sampleEntry {
        if entry.width > 0 {
          $0.member("width", entry.width)
          $0.member("height", entry.height)
          $0.member("frameRate", track.rate)
        }
        if entry.channels > 0 {
          $0.member("sampleRate", entry.sampleRate)
          $0.member("channels", entry.channels)
        }
      }
    }
  }

  private static func write(_ box: Node, to json: inout JSONWriter) {
    json.object {
      $0.member("type", "\(box.type)")
      $0.member("offset", box.offset)
      $0.member("size", box.size)
      if let fault = box.fault { $0.member("fault", fault) }
      if !box.children.isEmpty { $0.member("boxes") { $0.array(box.children) { write($1, to: &$0) } } }
    }
  }
}
