/// The operator's description of a recorder's file names (`--layout`).

internal import FootageBase

/// The reason why a layout is invalid.
package struct RecordingLayoutError: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// The patterns of a layout, one or several; the first that fits a name applies.
package struct RecordingLayout: Sendable {
  /// The result of matching a name against a layout.
  struct Match: Hashable, Sendable {
    let camera: ArraySlice<UInt8>?
    let time: NameTime
  }

  /// The text that the operator gave.
  package let text: String
  /// The zone of the times in the names, if it does not depend on the robot's own zone.
  let zone: TimeZoneRules?
  private let patterns: [LayoutPattern]

  /// Parses a pattern, for instance `{camera}/%Y-%m-%dT%H-%M-%S`, or the name of a preset.
  ///
  /// - Throws: `RecordingLayoutError`, which describes the problem.
  package init(_ text: String) throws(RecordingLayoutError) {
    self.text = text
    if let preset = Self.presets.first(where: { $0.name == text }) {
      var patterns: [LayoutPattern] = []
      for pattern in preset.patterns { patterns.append(try LayoutPattern(pattern)) }
      self.patterns = patterns
      zone = preset.zone
      return
    }
    let namesNothing = !text.utf8.contains(UInt8(ascii: "%")) && !text.utf8.contains(UInt8(ascii: "{"))
    guard !namesNothing else {
      throw RecordingLayoutError(
        "there is no layout '\(text)': use \(Self.presets.map(\.name).joined(separator: ", ")), or a pattern such as "
          + "{camera}/%Y-%m-%dT%H-%M-%S")
    }
    patterns = [try LayoutPattern(text)]
    zone = nil
  }

  /// Matches a name.
  ///
  /// - Returns: nil if no pattern fits.
  func match(_ name: [UInt8]) -> Match? {
    for pattern in patterns {
      if let match = pattern.match(name) { return match }
    }
    return nil
  }

  /// The layouts of well-known recorders.
  private static let presets: [(name: String, patterns: [String], zone: TimeZoneRules?)] = [
    ("frigate", ["%Y-%m-%d/%H/{camera}/%M.%S"], .utc),
    ("mediamtx", ["{camera}/%Y-%m-%d_%H-%M-%S-%f"], nil),
    ("viam", ["{camera}/%Y-%m-%d_%H-%M-%S", "{camera}/%s"], nil),
  ]
}

/// A parsed pattern.
struct LayoutPattern: Sendable {
  private enum Part: Hashable, Sendable {
    case literal(UInt8)
    case camera
    case field(Field)
  }

  private enum Field: Hashable, Sendable {
    case year, month, day, hour, minute, second, fraction, zone, unixSeconds
  }

  private let parts: [Part]

  init(_ text: String) throws(RecordingLayoutError) {
    var parts: [Part] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"): parts.append(try Self.directive(rest.popFirst(), text))
      case UInt8(ascii: "{"):
        guard rest.starts(with: "camera}".utf8) else {
          throw RecordingLayoutError("layout '\(text)' has a { that does not begin {camera}")
        }
        rest = rest.dropFirst(7)
        parts.append(.camera)
      default: parts.append(.literal(byte))
      }
    }
    self.parts = parts
    try check(text)
  }

  private static func directive(_ letter: UInt8?, _ text: String) throws(RecordingLayoutError) -> Part {
    switch letter.map({ Unicode.Scalar($0) }) {
    case "Y": return .field(.year)
    case "m": return .field(.month)
    case "d": return .field(.day)
    case "H": return .field(.hour)
    case "M": return .field(.minute)
    case "S": return .field(.second)
    case "f": return .field(.fraction)
    case "z": return .field(.zone)
    case "s": return .field(.unixSeconds)
    case "%": return .literal(UInt8(ascii: "%"))
    case let letter:
      throw RecordingLayoutError(
        "layout '\(text)' has %\(letter.map { String(Character($0)) } ?? " at its end"), but only %Y %m %d %H %M "
          + "%S %f %z %s and %% are supported")
    }
  }

  /// Throws if the pattern could not fit any name, or contains no complete time.
  private func check(_ text: String) throws(RecordingLayoutError) {
    let bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "/") {
      throw RecordingLayoutError("layout '\(text)' begins with a /: it must be relative to the recordings folder")
    }
    if RecordingName.isVideo(bytes) {
      throw RecordingLayoutError("layout '\(text)' ends with an extension: remove it")
    }
    for (one, other) in zip(parts, parts.dropFirst()) where one == .camera && other == .camera {
      throw RecordingLayoutError("layout '\(text)' has {camera} twice with nothing in between")
    }
    let fields = Set(parts.compactMap { if case .field(let field) = $0 { field } else { nil } })
    let needed: Set<Field> = [.year, .month, .day, .hour, .minute]
    guard fields.contains(.unixSeconds) || needed.isSubset(of: fields) else {
      throw RecordingLayoutError("layout '\(text)' has no complete time: it needs %Y %m %d %H and %M, or %s")
    }
  }

  /// Matches a name.
  ///
  /// - Returns: nil if the name does not fit the pattern.
  func match(_ name: [UInt8]) -> RecordingLayout.Match? {
    var found = Found()
    guard match(NameScanner(name[...]), parts[...], &found), let time = found.time else { return nil }
    return RecordingLayout.Match(camera: found.camera, time: time)
  }

  /// The values of the fields in a name. A field that occurs twice must have the same value both times.
  private struct Found {
    var camera: ArraySlice<UInt8>?
    var numbers: [Field: Int] = [:]

    mutating func put(_ number: Int, _ field: Field) -> Bool {
      if let known = numbers[field] { return known == number }
      numbers[field] = number
      return true
    }

    /// The time that the fields describe; nil if there is no such day.
    var time: NameTime? {
      let milliseconds = numbers[.fraction] ?? 0
      if let seconds = numbers[.unixSeconds] {
        return .instant(UnixTimestamp(seconds: Int64(seconds), milliseconds: milliseconds))
      }
      guard let year = numbers[.year], let month = numbers[.month], let day = numbers[.day],
        let hour = numbers[.hour], let minute = numbers[.minute],
        let time = CivilTime(
          year: year, month: month, day: day, hour: hour, minute: minute, second: numbers[.second] ?? 0)
      else { return nil }
      guard let offset = numbers[.zone] else { return .local(time, milliseconds: milliseconds) }
      return .instant(UnixTimestamp(seconds: time.unixSeconds - Int64(offset), milliseconds: milliseconds))
    }
  }

  /// Matches the parts against the whole rest of the name, trying the shortest camera first.
  private func match(_ scanner: NameScanner, _ parts: ArraySlice<Part>, _ found: inout Found) -> Bool {
    var scanner = scanner
    var parts = parts
    while let part = parts.popFirst() {
      switch part {
      case .literal(let byte):
        guard scanner.next == byte else { return false }
        _ = scanner.take(1)
      case .field(let field):
        guard let number = Self.number(field, &scanner), found.put(number, field) else { return false }
      case .camera:
        if let known = found.camera {
          guard scanner.rest.starts(with: known) else { return false }
          _ = scanner.take(known.count)
          continue
        }
        let longest = scanner.rest.prefix { $0 != UInt8(ascii: "/") }
        for length in stride(from: 1, through: longest.count, by: 1) {
          var attempt = found
          attempt.camera = longest.prefix(length)
          var behind = scanner
          _ = behind.take(length)
          if match(behind, parts, &attempt) {
            found = attempt
            return true
          }
        }
        return false
      }
    }
    return scanner.isAtEnd
  }

  private static func number(_ field: Field, _ scanner: inout NameScanner) -> Int? {
    switch field {
    case .year: return scanner.number(digits: 4, CalendarDay.years)
    case .month: return scanner.number(digits: 2, 1...12)
    case .day: return scanner.number(digits: 2, 1...31)
    case .hour: return scanner.number(digits: 2, 0...23)
    case .minute: return scanner.number(digits: 2, 0...59)
    case .second: return scanner.number(digits: 2, 0...60)
    case .unixSeconds: return scanner.number(digits: 10, CalendarDay.unixSeconds)
    case .zone: return NameZone.offsetSeconds(&scanner)
    case .fraction:
      let count = scanner.digitCount
      guard (1...9).contains(count) else { return nil }
      return UnixTimestamp.milliseconds(ofFraction: scanner.take(count))
    }
  }
}
