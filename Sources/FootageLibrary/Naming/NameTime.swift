internal import FootageBase

/// A moment that a name contains.
enum NameTime: Hashable, Sendable {
  /// The name states or implies the zone.
  case instant(UnixTimestamp)
  /// A local time whose zone the name does not state.
  case local(CivilTime, milliseconds: Int)

  /// - Parameter witness: if the clocks showed this time twice, the moment that is closer to `witness` is returned.
  func moment(in zone: TimeZoneRules, nearestTo witness: UnixTimestamp) -> UnixTimestamp {
    switch self {
    case .instant(let moment): return moment
    case .local(let time, let milliseconds):
      if case .never(let next) = zone.reading(of: time) { return UnixTimestamp(seconds: next) }
      return UnixTimestamp(
        seconds: zone.unixSeconds(of: time, nearestTo: witness.seconds), milliseconds: milliseconds)
    }
  }
}

/// Finding a timestamp in a name without a layout.
extension NameTime {
  /// Returns the last timestamp in a name. The first of these that exists is used: a date with a time that ends in the
  /// file's own name; a time of day in the file's name, if a folder above it is a date; the date and time of the
  /// folders.
  ///
  /// - Parameters:
  ///   - name: the folders and the file's name, separated by `/`.
  ///   - day: the day that the folders name.
  static func last(in name: [UInt8], below day: CalendarDay?) -> NameTime? {
    let file = (name.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    var ofFolders: NameTime?
    for start in name.indices.reversed() where isStart(start, of: name) {
      var scanner = NameScanner(name[start...])
      guard let time = dated(&scanner, name) ?? (start >= file ? unixTime(&scanner) : nil) else { continue }
      if scanner.position > file { return time }
      ofFolders = ofFolders ?? time
    }
    if let day, let time = timeOfDay(in: name[file...], on: day) { return time }
    return ofFolders
  }

  private static func isStart(_ index: Int, of name: [UInt8]) -> Bool {
    NameScanner.isDigit(name[index]) && (index == 0 || !NameScanner.isDigit(name[index - 1]))
  }

  /// Reads a date with a time.
  private static func dated(_ scanner: inout NameScanner, _ name: [UInt8]) -> NameTime? {
    let start = scanner.position
    var ahead = scanner
    guard let day = CalendarDay(&ahead) else { return nil }
    ahead.skip(oneOf: "Tt -_./")
    guard let time = clock(&ahead, on: day) else { return nil }
    // A seeming year and month may be the end of a date that begins with its day: `05_11_2026_10_12_14`.
    if start >= 6, isStart(start - 6, of: name) {
      var earlier = NameScanner(name[(start - 6)...])
      if let day = CalendarDay(dayFirst: &earlier) {
        earlier.skip(oneOf: "Tt -_./")
        if let time = clock(&earlier, on: day) {
          scanner = earlier
          return time
        }
      }
    }
    scanner = ahead
    return time
  }

  /// Reads `10-15-30`, `101530`, `10h15m30` and similar forms, with a fraction and a zone if they follow.
  private static func clock(_ scanner: inout NameScanner, on day: CalendarDay) -> NameTime? {
    guard let hour = scanner.number(digits: 2, 0...23) else { return nil }
    scanner.skip(oneOf: "-_.:hH/")
    guard let minute = scanner.number(digits: 2, 0...59) else { return nil }
    scanner.skip(oneOf: "-_.:mM/")
    guard let second = scanner.number(digits: 2, 0...60),
      let time = CivilTime(
        year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: second),
      let milliseconds = fraction(&scanner)
    else { return nil }
    guard let offset = NameZone.offsetSeconds(&scanner) else { return .local(time, milliseconds: milliseconds) }
    return .instant(UnixTimestamp(seconds: time.unixSeconds - Int64(offset), milliseconds: milliseconds))
  }

  /// Reads the milliseconds after a second: three, six or nine digits, or one to nine digits after a point. Returns nil
  /// if the second is followed directly by any other number of digits: then the digits are not a time.
  private static func fraction(_ scanner: inout NameScanner) -> Int? {
    switch scanner.digitCount {
    case 0: break
    case 3, 6, 9: return UnixTimestamp.milliseconds(ofFraction: scanner.take(scanner.digitCount))
    default: return nil
    }
    var ahead = scanner
    let isPoint = ahead.skip(oneOf: ".,")
    guard isPoint || ahead.skip(oneOf: "-_") else { return 0 }
    let count = ahead.digitCount
    guard isPoint ? (1...9).contains(count) : [3, 6, 9].contains(count) else { return 0 }
    scanner = ahead
    return UnixTimestamp.milliseconds(ofFraction: scanner.take(count))
  }

  /// Reads a sequence of digits as the time since 1970, in seconds, milliseconds, microseconds or nanoseconds, between
  /// 2015 and 2100. Digits that could also be a date are not read.
  private static func unixTime(_ scanner: inout NameScanner) -> NameTime? {
    let count = scanner.digitCount
    guard [10, 13, 16, 19].contains(count), !isDateLike(scanner) else { return nil }
    var ahead = scanner
    guard let seconds = ahead.number(digits: 10, CalendarDay.unixSeconds) else { return nil }
    var milliseconds = 0
    if count > 10 {
      milliseconds = UnixTimestamp.milliseconds(ofFraction: ahead.take(count - 10))
    } else if let rest = fraction(&ahead) {
      milliseconds = rest
    }
    scanner = ahead
    return .instant(UnixTimestamp(seconds: Int64(seconds), milliseconds: milliseconds))
  }

  /// Returns true if the digits look like a date. For example, `2026112010` means an hour of a day, and not a second in
  /// the year 2034.
  private static func isDateLike(_ scanner: NameScanner) -> Bool {
    var ahead = scanner
    return CalendarDay(&ahead) != nil && ahead.number(digits: 2, 0...23) != nil
  }

  /// Returns the last time with separators in a file's name, or six digits at its beginning.
  private static func timeOfDay(in file: ArraySlice<UInt8>, on day: CalendarDay) -> NameTime? {
    for start in file.indices.reversed()
    where NameScanner.isDigit(file[start]) && (start == file.startIndex || !NameScanner.isDigit(file[start - 1])) {
      var scanner = NameScanner(file[start...])
      guard scanner.digitCount == 2 || start == file.startIndex else { continue }
      if let time = clock(&scanner, on: day) { return time }
    }
    return nil
  }
}

/// The zone after a time in a name.
enum NameZone {
  /// Reads `Z`, `UTC`, `+0100`, `-+0700`, `-0500` or `+01-00`. If none of them is next, returns nil and reads nothing.
  ///
  /// - Returns: the offset in seconds east of Greenwich.
  static func offsetSeconds(_ scanner: inout NameScanner) -> Int? {
    if let offset = here(&scanner) { return offset }
    var ahead = scanner
    guard ahead.skip(oneOf: "-_ "), let offset = here(&ahead) else { return nil }
    scanner = ahead
    return offset
  }

  private static func here(_ scanner: inout NameScanner) -> Int? {
    for word in ["Z", "UTC", "GMT"] as [StaticString] where scanner.skip(word: word) { return 0 }
    var ahead = scanner
    let isEast = ahead.skip(oneOf: "+")
    guard isEast || ahead.skip(oneOf: "-"), let hours = ahead.number(digits: 2, 0...14) else { return nil }
    var minutes = 0
    if let found = ahead.digitCount == 2 ? ahead.number(digits: 2, 0...59) : nil {
      minutes = found
    } else {
      // `+01-00` replaces `+01:00` where names may not contain a colon; `-05-00` could be anything.
      var further = ahead
      if further.skip(oneOf: isEast ? ":-." : ":"), further.digitCount == 2,
        let found = further.number(digits: 2, 0...59)
      {
        minutes = found
        ahead = further
      } else if !isEast {
        return nil
      }
    }
    // Four digits after a hyphen are just as often a counter: zones are multiples of 15 minutes, and UTC is +0000.
    guard ahead.digitCount == 0, minutes % 15 == 0, isEast || hours > 0 || minutes > 0 else { return nil }
    scanner = ahead
    return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
  }
}
