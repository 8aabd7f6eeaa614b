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
  /// Returns the timestamp in a name. The first of these that exists is used: a date with a time that ends in the file's
  /// own name; a time of day in the file's name, if a folder above it is a date; the date and time of the folders, the
  /// last of them. If the file's own name has several dates with times, they are the recording's beginning and end, and
  /// the earliest counts.
  ///
  /// - Parameters:
  ///   - name: the folders and the file's name, separated by `/`.
  ///   - day: the day that the folders name.
  static func find(in name: [UInt8], below day: CalendarDay?) -> NameTime? {
    let file = (name.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1
    var found: NameTime?
    var ofFolders: NameTime?
    for start in name.indices.reversed() where isStart(start, of: name) {
      // Once the file's own name has a time, a time that begins in a folder is not its beginning.
      if found != nil, start < file { break }
      var scanner = NameScanner(name[start...])
      guard let time = dated(&scanner, name) ?? (start >= file ? unixTime(&scanner) : nil) else { continue }
      if scanner.position > file {
        found = found.map { time.isEarlier(than: $0) ? time : $0 } ?? time
      } else {
        ofFolders = ofFolders ?? time
      }
    }
    if let found { return found }
    if let day, let time = timeOfDay(in: name[file...], on: day) { return time }
    return ofFolders
  }

  /// Returns true if this time is the earlier one of a beginning and an end. Times of different kinds are compared as
  /// if local times were UTC.
  private func isEarlier(than other: NameTime) -> Bool {
    func seconds(_ time: NameTime) -> Int64 {
      switch time {
      case .instant(let moment): moment.seconds
      case .local(let time, _): time.unixSeconds
      }
    }
    return seconds(self) <= seconds(other)
  }

  private static func isStart(_ index: Int, of name: [UInt8]) -> Bool {
    NameScanner.isDigit(name[index]) && (index == 0 || !NameScanner.isDigit(name[index - 1]))
  }

  /// Skips what stands between a date and its time: a separator, or the word of `2026-11-20 at 10.15.30`.
  private static func skipJoint(_ scanner: inout NameScanner) {
    if !scanner.skip(text: " at ") { scanner.skip(oneOf: "Tt -_./") }
  }

  /// Reads a date with a time.
  private static func dated(_ scanner: inout NameScanner, _ name: [UInt8]) -> NameTime? {
    let start = scanner.position
    var ahead = scanner
    guard let day = CalendarDay(&ahead) else { return nil }
    skipJoint(&ahead)
    guard let time = clock(&ahead, on: day) else { return nil }
    // A seeming year and month may be the end of a date that begins with its day: `05_11_2026_10_12_14`.
    if start >= 6, isStart(start - 6, of: name) {
      var earlier = NameScanner(name[(start - 6)...])
      if let day = CalendarDay(dayFirst: &earlier) {
        skipJoint(&earlier)
        if let time = clock(&earlier, on: day) {
          scanner = earlier
          return time
        }
      }
    }
    scanner = ahead
    return time
  }

  /// Reads `10-15-30`, `101530`, `10h15m30`, `10.15.30 PM` and similar forms, with a fraction and a zone if they
  /// follow. If a folder is the hour, the file's whole name may be the minute: `10/15`.
  private static func clock(_ scanner: inout NameScanner, on day: CalendarDay) -> NameTime? {
    guard var hour = scanner.number(digits: 2, 0...23) else { return nil }
    let start = scanner.position
    let isBelowHour = scanner.skip(oneOf: "-_.:hH") ? scanner.skip(oneOf: "/") : scanner.skip(oneOf: "/")
    guard let minute = scanner.number(digits: 2, 0...59) else { return nil }
    if isBelowHour, scanner.isAtEnd {
      return CivilTime(year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: 0)
        .map { .local($0, milliseconds: 0) }
    }
    scanner.skip(oneOf: "-_.:mM/")
    guard let second = scanner.number(digits: 2, 0...60) else { return nil }
    let isCompact = scanner.position == start + 4
    if isCompact, let end = ahead(scanner, end: hour * 3_600 + minute * 60 + second) {
      scanner = end
      return CivilTime(year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: second)
        .map { .local($0, milliseconds: 0) }
    }
    guard let milliseconds = fraction(&scanner) else { return nil }
    hour = halfDay(&scanner, hour)
    guard
      let time = CivilTime(
        year: day.year, month: day.month, day: day.day, hour: hour, minute: minute, second: second)
    else { return nil }
    guard let offset = NameZone.offsetSeconds(&scanner) else { return .local(time, milliseconds: milliseconds) }
    return .instant(UnixTimestamp(seconds: time.unixSeconds - Int64(offset), milliseconds: milliseconds))
  }

  /// Returns the scanner behind the end of a recording: `_102030` after `101530` is no fraction, but the later time at
  /// which the recording ends.
  ///
  /// - Parameter begin: the recording's begin, in seconds of the day.
  private static func ahead(_ scanner: NameScanner, end begin: Int) -> NameScanner? {
    var ahead = scanner
    guard ahead.skip(oneOf: "-_"), ahead.digitCount == 6, let hour = ahead.number(digits: 2, 0...23),
      let minute = ahead.number(digits: 2, 0...59), let second = ahead.number(digits: 2, 0...60),
      hour * 3_600 + minute * 60 + second > begin
    else { return nil }
    return ahead
  }

  /// Reads `AM` or `PM`, and returns the hour of the day.
  private static func halfDay(_ scanner: inout NameScanner, _ hour: Int) -> Int {
    var ahead = scanner
    // macOS puts a narrow no-break space before the word.
    if !ahead.skip(text: "\u{202F}") { ahead.skip(oneOf: " _-.") }
    let isMorning = ahead.skip(word: "AM")
    guard hour <= 12, isMorning || ahead.skip(word: "PM") else { return hour }
    scanner = ahead
    return hour % 12 + (isMorning ? 0 : 12)
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

  /// Returns the last time with separators in a file's name, or six digits at its beginning, or after a number and a
  /// hyphen. If another time directly precedes it, that is the beginning, and this is the end.
  private static func timeOfDay(in file: ArraySlice<UInt8>, on day: CalendarDay) -> NameTime? {
    var end: (time: NameTime, start: Int)?
    for start in file.indices.reversed()
    where NameScanner.isDigit(file[start]) && (start == file.startIndex || !NameScanner.isDigit(file[start - 1])) {
      var scanner = NameScanner(file[start...])
      guard scanner.digitCount == 2 || (scanner.digitCount == 6 && isNumbered(file[..<start])) else { continue }
      guard let time = clock(&scanner, on: day) else { continue }
      guard let end else {
        end = (time, start)
        continue
      }
      // `15.30-10` in `10.15.30-10.16.30` is no time: it overlaps one.
      guard scanner.position <= end.start else { continue }
      return scanner.position < end.start && end.start - scanner.position <= 3 ? time : end.time
    }
    return end?.time
  }

  /// Returns true if nothing precedes the six digits of a time, or a number and a hyphen, such as `01-`.
  private static func isNumbered(_ prefix: ArraySlice<UInt8>) -> Bool {
    prefix.isEmpty
      || prefix.count > 1 && prefix.last == UInt8(ascii: "-") && prefix.dropLast().allSatisfy(NameScanner.isDigit)
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
