internal import FootageBase

extension UnixTimestamp {
  /// The moments that a client can ask for: the years 1970 to 9999.
  private static let askable = UnixTimestamp(milliseconds: 0)...UnixTimestamp(milliseconds: 253_402_300_799_999)
  /// The most digits of whole seconds: those of the year 9999.
  private static let longestSeconds = 12
  /// The most digits after the point.
  private static let longestFraction = 9

  /// Reads a moment of a view: RFC 3339, or seconds since 1970 with or without a point. Forms turn a plus into a blank,
  /// so a blank before the final `HH:MM` counts as a plus. Anything finer than a millisecond is cut off.
  ///
  /// - Returns: nil if the text is anything else, or is not in the years 1970 to 9999.
  init?(parameter text: String) {
    guard let moment = Self.unixSeconds(text) ?? UnixTimestamp(rfc3339: Self.withPlus(text)),
      Self.askable.contains(moment)
    else { return nil }
    self = moment
  }

  /// The shortest form in RFC 3339.
  var parameter: String { millisecondsOfSecond == 0 ? CivilTime(unixSeconds: seconds).rfc3339 : rfc3339 }

  private static func unixSeconds(_ text: String) -> UnixTimestamp? {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let isDigits = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    guard isDigits, parts[0].count <= longestSeconds, let seconds = Int64(String(decoding: parts[0], as: UTF8.self))
    else { return nil }
    guard parts.count > 1 else { return UnixTimestamp(seconds: seconds) }
    guard parts[1].count <= longestFraction else { return nil }
    return UnixTimestamp(seconds: seconds, milliseconds: milliseconds(ofFraction: parts[1]))
  }

  private static func withPlus(_ text: String) -> String {
    let offsetLength = "HH:MM".utf8.count
    guard text.utf8.count > offsetLength, Array(text.utf8.suffix(offsetLength + 1)).first == UInt8(ascii: " ") else {
      return text
    }
    var bytes = Array(text.utf8)
    bytes[bytes.count - offsetLength - 1] = UInt8(ascii: "+")
    return String(decoding: bytes, as: UTF8.self)
  }
}
