/// Reads and writes dates as HTTP has them, to the second, in GMT.

internal import FootageBase

/// Reads and writes the dates of RFC 9110 §5.6.7.
package enum HTTPDate {
  /// Returns an IMF-fixdate of 29 bytes: `Sun, 06 Nov 1994 08:49:37 GMT`.
  ///
  /// - Parameter unixSeconds: the moment, clamped to the years 1 to 9999.
  package static func bytes(unixSeconds: Int64) -> [UInt8] {
    let time = CivilTime(unixSeconds: unixSeconds)
    var text: [UInt8] = []
    text.reserveCapacity(29)
    text.append(literal: shortDayNames[time.weekday])
    text.append(literal: ", ")
    text.append(twoDigits: time.day)
    text.append(ASCII.space)
    text.append(literal: monthNames[time.month - 1])
    text.append(ASCII.space)
    text.append(twoDigits: time.year / 100)
    text.append(twoDigits: time.year % 100)
    text.append(ASCII.space)
    text.append(twoDigits: time.hour)
    text.append(UInt8(ascii: ":"))
    text.append(twoDigits: time.minute)
    text.append(UInt8(ascii: ":"))
    text.append(twoDigits: time.second)
    text.append(literal: " GMT")
    return text
  }

  /// Reads the three forms. The name of the day is not checked against the date.
  ///
  /// - Parameter now: the present in Unix seconds, which decides the century of a two-digit year.
  /// - Returns: Unix seconds, or nil if the field is not a date.
  package static func unixSeconds(_ field: Span<UInt8>, now: Int64) -> Int64? {
    guard field.count >= 24 else { return nil }
    if field[3] == UInt8(ascii: ",") { return fixedDate(field) }
    if field[3] == ASCII.space { return asctimeDate(field) }
    return rfc850Date(field, now: now)
  }

  private static let shortDayNames: [StaticString] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let longDayNames: [StaticString] = [
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
  ]
  private static let monthNames: [StaticString] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT`.
  private static func fixedDate(_ field: Span<UInt8>) -> Int64? {
    guard field.count == 29, place(of: 0..<3, among: shortDayNames, in: field) != nil,
      ASCII.matches(field, 3..<5, exactly: ", "), let day = number(field, 5..<7), field[7] == ASCII.space,
      let month = place(of: 8..<11, among: monthNames, in: field), field[11] == ASCII.space,
      let year = number(field, 12..<16), field[16] == ASCII.space,
      ASCII.matches(field, 25..<29, exactly: " GMT")
    else { return nil }
    return date(year: year, month: month + 1, day: day, time: 17, in: field)?.unixSeconds
  }

  /// Reads a date such as `Sun Nov  6 08:49:37 1994`.
  private static func asctimeDate(_ field: Span<UInt8>) -> Int64? {
    guard field.count == 24, place(of: 0..<3, among: shortDayNames, in: field) != nil,
      let month = place(of: 4..<7, among: monthNames, in: field), field[7] == ASCII.space,
      let day = number(field, field[8] == ASCII.space ? 9..<10 : 8..<10), field[10] == ASCII.space,
      field[19] == ASCII.space, let year = number(field, 20..<24)
    else { return nil }
    return date(year: year, month: month + 1, day: day, time: 11, in: field)?.unixSeconds
  }

  /// Reads a date such as `Sunday, 06-Nov-94 08:49:37 GMT`.
  private static func rfc850Date(_ field: Span<UInt8>, now: Int64) -> Int64? {
    guard let name = longDayNames.first(where: { $0.utf8CodeUnitCount + 24 == field.count && starts(field, with: $0) })
    else { return nil }
    let start = name.utf8CodeUnitCount
    guard ASCII.matches(field, start..<start + 2, exactly: ", "), let day = number(field, start + 2..<start + 4),
      field[start + 4] == UInt8(ascii: "-"), let month = place(of: start + 5..<start + 8, among: monthNames, in: field),
      field[start + 8] == UInt8(ascii: "-"), let shortYear = number(field, start + 9..<start + 11),
      field[start + 11] == ASCII.space, ASCII.matches(field, start + 20..<start + 24, exactly: " GMT")
    else { return nil }
    // A date "more than 50 years in the future" means the most recent past year with the same two digits.
    let present = CivilTime(unixSeconds: now)
    var year = present.year / 100 * 100 + 100 + shortYear
    while year > 100 {
      guard let time = date(year: year, month: month + 1, day: day, time: start + 12, in: field) else {
        // February 29 exists only in some of these years.
        year -= 100
        continue
      }
      if isWithin50Years(time, of: present) { return time.unixSeconds }
      year -= 100
    }
    return nil
  }

  private static func isWithin50Years(_ time: CivilTime, of present: CivilTime) -> Bool {
    (time.year - 50, time.month, time.day, time.hour, time.minute, time.second)
      <= (present.year, present.month, present.day, present.hour, present.minute, present.second)
  }

  /// Returns the date with the time `hh:mm:ss` that begins at `start`.
  private static func date(year: Int, month: Int, day: Int, time start: Int, in field: Span<UInt8>) -> CivilTime? {
    guard let hour = number(field, start..<start + 2), field[start + 2] == UInt8(ascii: ":"),
      let minute = number(field, start + 3..<start + 5), field[start + 5] == UInt8(ascii: ":"),
      let second = number(field, start + 6..<start + 8)
    else { return nil }
    return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
  }

  private static func number(_ field: Span<UInt8>, _ range: Range<Int>) -> Int? {
    ASCII.decimal(field, range).map { Int($0) }
  }

  private static func place(of range: Range<Int>, among names: [StaticString], in field: Span<UInt8>) -> Int? {
    names.firstIndex { ASCII.matches(field, range, exactly: $0) }
  }

  private static func starts(_ field: Span<UInt8>, with name: StaticString) -> Bool {
    ASCII.matches(field, 0..<min(field.count, name.utf8CodeUnitCount), exactly: name)
  }
}
