/// The `Date` field of responses, made once a second.

/// One per loop and second. RFC 9110 §6.6.1.
package final class DateField: Sendable {
  /// The second that it shows, in Unix seconds.
  package let unixSeconds: Int64
  /// The whole line with its end, as it goes into a head.
  package let line: [UInt8]
  /// The line behind the status line of 206, which is how most heads begin.
  let partialContentStart: [UInt8]

  /// For this second, clamped to the years 1 to 9999.
  package init(unixSeconds: Int64) {
    self.unixSeconds = unixSeconds
    var line: [UInt8] = []
    line.append(literal: "Date: ")
    line.append(contentsOf: HTTPDate.bytes(unixSeconds: unixSeconds))
    line.append(literal: "\r\n")
    self.line = line
    var start: [UInt8] = []
    start.append(statusLine: .partialContent)
    partialContentStart = start + line
  }
}
