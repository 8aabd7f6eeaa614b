internal import FootageCore

/// The progress of a download in one line of a terminal, however narrow the terminal is.
enum ProgressLine {
  private static let barWidths = 8...24
  /// The smallest width of a name that is always shown.
  private static let leastName = 12

  /// Returns a line like `3/17 …26-11-20T10-15-30  [####......]   45% of 27.1 MB   8.2 MB/s  0:02 left`, without the
  /// parts that do not fit.
  ///
  /// - Parameters:
  ///   - counter: text in front of the name; may be empty.
  ///   - columns: the width of the terminal. The last column stays empty, because some terminals begin a new line after
  ///     it.
  static func text(_ progress: DownloadProgress, counter: String, name: String, columns: Int) -> String {
    let room = max(0, columns - 1)
    let least = counter.utf8.count + min(width(name), leastName)
    // The width is constant, so that nothing moves.
    let percent = padded(percent(progress), to: 4)
    let ofTotal = "\(percent) of \(RecordingTable.size(progress.total))"
    let (speed, left) = (padded(speed(progress), to: 9), padded(left(progress) ?? "", to: 9))
    // The total is dropped first, then the speed, then the remaining time.
    let choices = [[ofTotal, speed, left], [percent, speed, left], [percent, left], [percent]]
    let numbers = choices.map { $0.joined(separator: "  ") }
    let chosen = numbers.first { $0.utf8.count + 2 + least <= room } ?? percent
    var rest = room - chosen.utf8.count - 2
    var bar = ""
    let barRoom = rest - least - 4
    if barRoom >= barWidths.lowerBound {
      // The name gets the width that it needs, as long as the bar has its minimum.
      let wanted = rest - counter.utf8.count - width(name) - 4
      let barWidth = min(max(wanted, barWidths.lowerBound), barWidths.upperBound, barRoom)
      bar = "  " + self.bar(progress, width: barWidth)
      rest -= barWidth + 4
    }
    let shown = shortened(name, to: max(0, rest - counter.utf8.count))
    let line = "\(counter)\(shown)\(bar)  \(chosen)"
    return String(line.prefix(line.count - line.reversed().prefix { $0 == " " }.count))
  }

  private static func bar(_ progress: DownloadProgress, width: Int) -> String {
    let full = min(width, Int(share(progress) * Double(width)))
    return "[\(String(repeating: "#", count: full))\(String(repeating: ".", count: width - full))]"
  }

  /// Returns text like `45%  12.3 of 27.1 MB  8.2 MB/s  0:02 left`, for output that is not a terminal.
  static func words(_ progress: DownloadProgress) -> String {
    let (received, total) = (RecordingTable.size(progress.received), RecordingTable.size(progress.total))
    let (receivedParts, totalParts) = (received.split(separator: " "), total.split(separator: " "))
    // The unit appears only once if both sizes have the same.
    let first = receivedParts.last == totalParts.last ? String(receivedParts.first ?? "") : received
    let parts = [percent(progress), "\(first) of \(total)", speed(progress), left(progress)]
    return parts.compactMap { $0 }.joined(separator: "  ")
  }

  private static func percent(_ progress: DownloadProgress) -> String { "\(Int(share(progress) * 100))%" }

  private static func speed(_ progress: DownloadProgress) -> String {
    "\(RecordingTable.size(UInt64(max(0, min(progress.bytesPerSecond, 1e15)))))/s"
  }

  private static func left(_ progress: DownloadProgress) -> String? {
    guard let remaining = progress.remaining, progress.received < progress.total else { return nil }
    return "\(RecordingTable.length(Double(remaining.components.seconds))) left"
  }

  private static func padded(_ text: String, to columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - text.utf8.count)) + text
  }

  private static func share(_ progress: DownloadProgress) -> Double {
    progress.total == 0 ? 1 : min(1, Double(progress.received) / Double(progress.total))
  }

  // MARK: Columns

  /// Returns the end of a name, which distinguishes it from similar names.
  static func shortened(_ name: String, to columns: Int) -> String {
    guard width(name) > columns else { return name }
    guard columns > 0 else { return "" }
    var (kept, used) = ([Unicode.Scalar](), 1)
    for scalar in name.unicodeScalars.reversed() {
      used += width(scalar)
      guard used <= columns else { break }
      kept.append(scalar)
    }
    return "…" + String(String.UnicodeScalarView(kept.reversed()))
  }

  /// Returns the number of columns that a text takes (Unicode Standard Annex #11, as far as terminals agree on it).
  static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    default: break
    }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      return 2
    default: return 1
    }
  }
}
