internal import FootageBase

/// The moment that a name tells.
enum NameTime: Hashable, Sendable {
  /// The name says, or implies, the zone.
  case instant(UnixTimestamp)
  /// By the clocks of a zone that the name does not say.
  case local(CivilTime, milliseconds: Int)

  /// - Parameter witness: decides which of the two is meant where the clocks showed it twice.
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

/// Finding a timestamp in a name that nobody described.
extension NameTime {
  /// The last timestamp of a name. A date and a time together count wherever they stand if they reach into the file's
  /// own name; else the file's own time of day below a folder that is a date; else what the folders tell.
  ///
  /// - Parameters:
  ///   - name: folders and the file's name with `/` between them.
  ///   - day: of the folders.
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

  /// Takes a date with a time.
  private static func dated(_ scanner: inout NameScanner, _ name: [UInt8]) -> NameTime? {
    let start = scanner.position
    var ahead = scanner
    guard let day = CalendarDay(&ahead) else { return nil }
    ahead.skip(oneOf: "Tt -_./")
    guard let time = clock(&ahead, on: day) else { return nil }
    // What looks like a year with a month may be the end of a date that begins with its day: `05_11_2026_10_12_14`.
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

  /// Takes `10-15-30`, `101530`, `10h15m30` and their like, with a fraction and a zone if they follow.
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

  /// The milliseconds behind a second: three, six or nine digits, or as many as like to behind a point. Nil where other
  /// digits follow, so that this is no time at all.
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

  /// Takes a row of digits that counts seconds, or thousandths of them and so on, since 1970, between 2015 and 2100.
  /// What reads as a date as well is none.
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

  /// `2026112010`, the hour of a day, is no second of the year 2034.
  private static func isDateLike(_ scanner: NameScanner) -> Bool {
    var ahead = scanner
    return CalendarDay(&ahead) != nil && ahead.number(digits: 2, 0...23) != nil
  }

  /// The last time with separators of a file's name, or six digits at its beginning.
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

/// The zone behind a time in a name.
enum NameZone {
  /// Takes `Z`, `UTC`, `+0100`, `-+0700`, `-0500`, `+01-00`; nil, and nothing is taken, where there is none.
  ///
  /// - Returns: seconds east of Greenwich.
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
      // `+01-00` is what becomes of `+01:00` where a name may have no colon; `-05-00` may be anything.
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
    // Behind a hyphen four digits are as often a counter: zones lie at quarters of an hour, and UTC is +0000.
    guard ahead.digitCount == 0, minutes % 15 == 0, isEast || hours > 0 || minutes > 0 else { return nil }
    scanner = ahead
    return (isEast ? 1 : -1) * (hours * 3_600 + minutes * 60)
  }
}
