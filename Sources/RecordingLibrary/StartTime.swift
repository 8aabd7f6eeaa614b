/// When a recording began, by the best witness there is.

internal import Formats

package enum StartTime {
  /// 2015-01-01T00:00:00Z: a clock that shows less was never set.
  private static let plausibleUnixSeconds: Int64 = 1_420_070_400

  /// The creation time in `mvhd` if it lies after 2015 and not in the future, else a timestamp in the name, else the
  /// moment of the last write less the duration. All in seconds since 1970.
  ///
  /// - Parameter now: the future begins behind it, or behind the last write where that is later: the clock may have
  ///   been set back since.
  package static func of(
    creationTime: Int64?, name: String, modified: Int64, duration: Double?, now: Int64
  ) -> Int64 {
    if let creationTime, creationTime >= plausibleUnixSeconds, creationTime <= max(now, modified) {
      return creationTime
    }
    if let stamped = timestamp(in: name) { return stamped }
    guard let duration, duration > 0, duration < 1e9 else { return modified }
    return modified - Int64(duration.rounded())
  }

  /// The last date and time, taken as UTC, that stand in a name: `2026-11-20T10-15-30`, `20261120_101530`,
  /// `2026-11-20/10.15.30` and their like. Seconds since 1970, or nil.
  package static func timestamp(in name: String) -> Int64? {
    let bytes = Array(name.utf8)
    for start in bytes.indices.reversed() where start == 0 || !isDigit(bytes[start - 1]) {
      if let time = timestamp(bytes[start...]) { return time }
    }
    return nil
  }

  private static func timestamp(_ bytes: ArraySlice<UInt8>) -> Int64? {
    var rest = bytes
    func number(_ digits: Int) -> Int? {
      let field = rest.prefix(digits)
      guard field.count == digits, field.allSatisfy(isDigit) else { return nil }
      rest = rest.dropFirst(digits)
      return field.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
    func skip(_ separators: StaticString) {
      let isSeparator = rest.first.map { byte in separators.description.utf8.contains(byte) } ?? false
      if isSeparator { rest = rest.dropFirst() }
    }
    guard let year = number(4), (2000...2100).contains(year) else { return nil }
    skip("-_.:/")
    guard let month = number(2) else { return nil }
    skip("-_.:/")
    guard let day = number(2) else { return nil }
    skip("Tt -_./")
    guard let hour = number(2) else { return nil }
    skip("-_.:hH/")
    guard let minute = number(2) else { return nil }
    skip("-_.:mM/")
    guard let second = number(2) else { return nil }
    if let next = rest.first, isDigit(next) { return nil }
    return CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)?.unixSeconds
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
