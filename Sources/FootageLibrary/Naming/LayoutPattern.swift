internal import FootageBase

/// A parsed pattern of a layout.
struct LayoutPattern: Sendable {
  private enum Part: Hashable, Sendable {
    case literal(UInt8)
    case camera
    /// `{}`: any characters except `/`, possibly none.
    case anything
    /// `{number}`: all digits that follow, at least one.
    case number
    case field(Field)

    /// The text of a part that has no fixed length; nil for any other.
    var wildcard: String? {
      switch self {
      case .camera: "{camera}"
      case .anything: "{}"
      case .literal, .number, .field: nil
      }
    }

    /// True if a name can fit this part only if it goes on with a digit.
    var beginsWithDigit: Bool {
      switch self {
      case .literal(let byte): NameScanner.isDigit(byte)
      case .number: true
      case .field(let field): field != .zone
      case .camera, .anything: false
      }
    }
  }

  private enum Field: Hashable, Sendable {
    case year, month, day, hour, minute, second, fraction, zone, unixSeconds
  }

  /// The number of parts that are tried for one name. A name that needs more does not fit. Ordinary names need a few
  /// hundred; a name of many hyphens against a layout with several wildcards would need billions.
  static let stepLimit = 20_000

  private let parts: [Part]

  init(_ text: String) throws(RecordingLayoutError) {
    var parts: [Part] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"): parts.append(try Self.directive(rest.popFirst(), text))
      case UInt8(ascii: "{"): parts.append(try Self.braces(&rest, text))
      default: parts.append(.literal(byte))
      }
    }
    self.parts = parts
    try check(text)
  }

  /// Reads the rest of `{camera}`, `{number}` or `{}`.
  private static func braces(_ rest: inout ArraySlice<UInt8>, _ text: String) throws(RecordingLayoutError) -> Part {
    for (name, part) in [("camera}", Part.camera), ("number}", .number), ("}", .anything)]
    where rest.starts(with: name.utf8) {
      rest = rest.dropFirst(name.utf8.count)
      return part
    }
    throw RecordingLayoutError(
      "layout '\(text)' has a { that does not begin {camera}, {number} for a counter, or {} for any characters")
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

  /// Throws if the pattern could not fit any name, could fit one in several ways, or contains no complete time.
  private func check(_ text: String) throws(RecordingLayoutError) {
    let bytes = Array(text.utf8)
    if bytes.first == UInt8(ascii: "/") {
      throw RecordingLayoutError("layout '\(text)' begins with a /: it must be relative to the recordings folder")
    }
    if RecordingName.isVideo(bytes) {
      throw RecordingLayoutError("layout '\(text)' ends with an extension: remove it")
    }
    for (one, other) in zip(parts, parts.dropFirst()) {
      if let first = one.wildcard, let second = other.wildcard {
        throw RecordingLayoutError(Self.words(text, first, second))
      }
      if one == .number, other.beginsWithDigit {
        throw RecordingLayoutError(
          "layout '\(text)' has a digit right after {number}, which takes all digits: put the character between them, "
            + "or use {} instead of {number}")
      }
    }
    let fields = Set(parts.compactMap { if case .field(let field) = $0 { field } else { nil } })
    let needed: Set<Field> = [.year, .month, .day, .hour, .minute]
    guard fields.contains(.unixSeconds) || needed.isSubset(of: fields) else {
      throw RecordingLayoutError("layout '\(text)' has no complete time: it needs %Y %m %d %H and %M, or %s")
    }
  }

  /// Returns the error for two wildcards without anything between them, so that nothing tells where one ends.
  private static func words(_ text: String, _ one: String, _ other: String) -> String {
    let words = "layout '\(text)' has \(one)\(other), and nothing tells where \(one) ends: "
    if one == other { return words + "write \(one) once" + (one == "{camera}" ? ", or put the text between them" : "") }
    return words + "write the characters that stand between them"
      + (one == "{}" ? ", or {number}{camera} if only a counter precedes the camera" : "")
  }

  /// Matches a name.
  ///
  /// - Returns: nil if the name does not fit the pattern.
  func match(_ name: [UInt8]) -> RecordingLayout.Match? {
    var found = Found()
    var steps = Self.stepLimit
    guard match(NameScanner(name[...]), parts[...], &found, &steps), let time = found.time else { return nil }
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

  /// Matches the parts against the whole rest of the name, trying the shortest text of each wildcard first.
  ///
  /// - Parameter steps: the number of parts that may still be tried for this name.
  private func match(
    _ scanner: NameScanner, _ parts: ArraySlice<Part>, _ found: inout Found, _ steps: inout Int
  ) -> Bool {
    var scanner = scanner
    var parts = parts
    while let part = parts.popFirst() {
      guard steps > 0 else { return false }
      steps -= 1
      switch part {
      case .literal(let byte):
        guard scanner.next == byte else { return false }
        _ = scanner.take(1)
      case .field(let field):
        guard let number = Self.number(field, &scanner), found.put(number, field) else { return false }
      case .number:
        guard scanner.digitCount > 0 else { return false }
        _ = scanner.take(scanner.digitCount)
      case .camera:
        if let known = found.camera {
          guard scanner.rest.starts(with: known) else { return false }
          _ = scanner.take(known.count)
          continue
        }
        return tryLengths(from: 1, scanner, parts, &found, &steps) { $0.camera = $1 }
      case .anything:
        return tryLengths(from: 0, scanner, parts, &found, &steps) { _, _ in }
      }
    }
    return scanner.isAtEnd
  }

  /// Matches a wildcard, which never goes beyond a `/`, and then the parts after it.
  ///
  /// - Parameter note: stores the wildcard's text.
  private func tryLengths(
    from shortest: Int, _ scanner: NameScanner, _ parts: ArraySlice<Part>, _ found: inout Found, _ steps: inout Int,
    _ note: (inout Found, ArraySlice<UInt8>) -> Void
  ) -> Bool {
    let longest = scanner.rest.prefix { $0 != UInt8(ascii: "/") }
    guard shortest <= longest.count else { return false }
    for length in shortest...longest.count where steps > 0 {
      var attempt = found
      note(&attempt, longest.prefix(length))
      var behind = scanner
      _ = behind.take(length)
      if match(behind, parts, &attempt, &steps) {
        found = attempt
        return true
      }
    }
    return false
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
