/// Writers of an inspection as text, for a terminal of 80 columns.
extension Inspection {
  /// The verdict, the tracks and the boxes as text for a person. Every line has a line end.
  package var text: String {
    var lines = ["\(length) bytes", ""]
    lines += verdictLines
    if !tracks.isEmpty {
      lines += ["", "tracks"]
      for track in tracks { lines += Self.lines(of: track) }
    }
    lines += filmLines
    lines += ["", Self.column("byte") + Self.column("size") + "  box"]
    for box in boxes { append(box, indent: "  ", to: &lines) }
    if isAbridged { lines.append("  … more boxes are not shown") }
    return lines.joined(separator: "\n") + "\n"
  }

  private var verdictLines: [String] {
    switch verdict {
    case .ready(let index):
      var line = "ready: "
      if index.preamble.isEmpty {
        line += "served as it is"
      } else {
        line += "served with a preamble of \(index.preamble.count) bytes before "
        line += index.body.map { "bytes \($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
      }
      return [line] + (index.isRecovered ? ["recovered: the file is cut off or broken at its end"] : [])
        + index.notes.map { "note: \($0)" }
    case .incomplete(let error): return ["incomplete: \(error)"]
    case .refused(let error): return ["refused: \(error)"]
    }
  }

  private var filmLines: [String] {
    guard let hindrances else { return [] }
    guard !hindrances.isEmpty else { return ["", "films", "  no problems"] }
    return ["", "films"] + hindrances.flatMap { Self.wrapped("\($0)", indent: "  ") }
  }

  /// Returns a line that describes the track, and lines about its stream.
  private static func lines(of track: TrackInspection) -> [String] {
    ["  \(description(of: track.summary))"]
      + details(of: track).flatMap { label, words in
        let indent = "     " + label + String(repeating: " ", count: max(1, 14 - label.utf8.count))
        return wrapped(words, indent: indent)
      }
  }

  private static func details(of track: TrackInspection) -> [(label: String, words: String)] {
    var details: [(String, String)] = []
    if let coding = track.coding {
      details.append(("profile", profile(of: coding)))
      let words = words(for: coding)
      if !words.isEmpty { details.append(("coding", words)) }
    }
    if let rotation = track.rotation { details.append(("rotation", "\(rotation)° clockwise")) }
    if let number = track.videoTrack, number > 1 || !track.isShown {
      details.append(
        ("video track", track.isShown ? "\(number), which is shown" : "\(number): track=\(number) shows it"))
    }
    guard let statistics = track.statistics, statistics.sampleCount > 0 else { return details }
    if let rate = statistics.bitRate {
      let peak = statistics.peakBitRate.map { ", at most \(bitRate($0)) within a second" } ?? ""
      details.append(("bit rate", bitRate(rate) + peak))
    }
    if track.handler == "vide" {
      details += groupDetails(of: statistics)
      details.append(("B-frames", depth(statistics.reorderDepth)))
    }
    if statistics.isAbridged {
      details.append(("examined", "the first \(statistics.sampleCount) samples"))
    }
    return details
  }

  /// Returns a text such as `High, level 3.1, 4 reference frames`.
  private static func profile(of coding: VideoCoding) -> String {
    var parts = [coding.profile, "level \(coding.level)"]
    if let tier = coding.tier { parts.append("\(tier) tier") }
    if let count = coding.referenceFrames { parts.append("\(count) reference \(count == 1 ? "frame" : "frames")") }
    return parts.joined(separator: ", ")
  }

  /// Returns a text such as `progressive, CABAC, 4:2:0, 8 bits, BT.709, limited range`.
  private static func words(for coding: VideoCoding) -> String {
    var parts: [String] = []
    switch coding.scan {
    case .mixed: parts.append("progressive and interlaced")
    case let scan?: parts.append(scan.rawValue)
    case nil: break
    }
    if let entropyCoding = coding.entropyCoding { parts.append(entropyCoding.rawValue) }
    if let format = coding.chromaFormat { parts.append(format) }
    if let luma = coding.lumaDepth {
      let chroma = coding.chromaDepth ?? luma
      parts.append(
        luma == chroma || coding.chromaFormat == "4:0:0"
          ? "\(luma) bits" : "\(luma) bits luma, \(chroma) bits chroma")
    }
    if let colour = coding.colour { parts.append("\(colour)") }
    return parts.joined(separator: ", ")
  }

  private static func groupDetails(of statistics: SampleStatistics) -> [(label: String, words: String)] {
    let groups = statistics.groups
    guard groups.count > 0 else { return [("key frames", "none")] }
    var count = "\(groups.count)"
    if groups.openCount > 0 {
      count += ", \(groups.openCount == groups.count ? "all" : "\(groups.openCount)") with open groups (GOPs)"
    }
    let (frames, seconds) = (groups.frames, groups.seconds)
    func range<Value: Comparable>(_ shortest: Value, _ median: Value, _ longest: Value, _ unit: String) -> String {
      shortest < longest ? "\(shortest) to \(longest) \(unit), median \(median)" : "\(median) \(unit)"
    }
    let frameText = range(
      frames.shortest, frames.median, frames.longest, frames.longest == 1 ? "frame" : "frames")
    let secondText = range(rounded(seconds.shortest), rounded(seconds.median), rounded(seconds.longest), "s")
    guard frames.shortest < frames.longest else {
      return [("key frames", count), ("GOP length", "\(frameText), \(secondText)")]
    }
    return [("key frames", count), ("GOP length", frameText), ("", secondText)]
  }

  private static func depth(_ depth: Int) -> String {
    switch depth {
    case 0: "none"
    case 1: "yes, reordered by 1 picture"
    case 16...: "yes, reordered by 16 pictures or more"
    default: "yes, reordered by up to \(depth) pictures"
    }
  }

  /// Returns a text such as `2.1 Mbit/s`.
  private static func bitRate(_ rate: Double) -> String {
    if rate >= 999_500 { return "\((rate / 10_000).rounded() / 100) Mbit/s" }
    return rate >= 9_995 ? "\(Int((rate / 1_000).rounded())) kbit/s" : "\((rate / 10).rounded() / 100) kbit/s"
  }

  /// Returns lines of at most 80 columns, unless a word is longer. The first line begins with `indent`, the others with
  /// blanks of the same width.
  private static func wrapped(_ words: String, indent: String) -> [String] {
    let blank = String(repeating: " ", count: indent.count)
    var lines: [String] = []
    var line = indent
    var isEmpty = true
    for word in words.split(separator: " ") {
      if !isEmpty, line.count + 1 + word.count > 80 {
        lines.append(line)
        line = blank
        isEmpty = true
      }
      line += (isEmpty ? "" : " ") + word
      isEmpty = false
    }
    return lines + [line]
  }

  private static func description(of track: TrackSummary) -> String {
    var parts = ["\(track.id)  \(track.handler)  \(track.sampleEntry?.codec ?? "no codec")"]
    if let entry = track.sampleEntry {
      if entry.width > 0 { parts.append("\(entry.width)×\(entry.height)") }
      if entry.channels > 0 {
        parts.append("\(entry.sampleRate) Hz, \(entry.channels) \(entry.channels == 1 ? "channel" : "channels")")
      }
    }
    if track.handler == "vide", let rate = track.rate { parts.append("\(rounded(rate)) frames/s") }
    parts.append("\(track.sampleCount) \(track.sampleCount == 1 ? "sample" : "samples")")
    parts.append("\(rounded(track.duration)) s")
    return parts.joined(separator: ", ")
  }

  static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }

  private func append(_ box: Node, indent: String, to lines: inout [String]) {
    let fault = box.fault.map { "  ← \($0)" } ?? ""
    lines.append("\(Self.column("\(box.offset)"))\(Self.column("\(box.size)"))\(indent)\(box.type)\(fault)")
    for child in box.children { append(child, indent: indent + "  ", to: &lines) }
  }

  private static func column(_ text: String) -> String {
    String(repeating: " ", count: max(1, 14 - text.utf8.count)) + text
  }
}
