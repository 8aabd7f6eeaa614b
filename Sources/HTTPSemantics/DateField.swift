/// The `Date` field of responses, made once a second.

/// One per loop. RFC 9110 §6.6.1.
package struct DateField: Sendable {
  /// The second that it shows, in Unix seconds.
  package private(set) var unixSeconds: Int64
  /// The whole line with its end, as it goes into a head.
  package private(set) var line: [UInt8]

  /// For this second, clamped to the years 1 to 9999.
  package init(unixSeconds: Int64) {
    self.unixSeconds = unixSeconds
    line = Self.line(unixSeconds)
  }

  /// Writes the line anew if the second is another.
  package mutating func update(unixSeconds: Int64) {
    guard unixSeconds != self.unixSeconds else { return }
    self = DateField(unixSeconds: unixSeconds)
  }

  private static func line(_ unixSeconds: Int64) -> [UInt8] {
    var line: [UInt8] = []
    line.append(literal: "Date: ")
    line.append(contentsOf: HTTPDate.bytes(unixSeconds: unixSeconds))
    line.append(literal: "\r\n")
    return line
  }
}
