/// The `Date` field of responses and the lines that are in every head beside it, made once a second.

/// The `Date` field that one loop uses during one second (RFC 9110 §6.6.1).
package final class DateField: Sendable {
  /// The second that the field shows, in Unix seconds.
  package let unixSeconds: Int64
  /// The whole line with its end, followed by the other lines of every head.
  package let line: [UInt8]
  /// The status line of 206 followed by `line`, which is how most heads begin.
  let partialContentStart: [UInt8]

  /// Creates the field for a second, clamped to the years 1 to 9999.
  ///
  /// - Parameter others: whole field lines, each with its end.
  package init(unixSeconds: Int64, followedBy others: [UInt8] = []) {
    self.unixSeconds = unixSeconds
    var line: [UInt8] = []
    line.append(literal: "Date: ")
    line.append(contentsOf: HTTPDate.bytes(unixSeconds: unixSeconds))
    line.append(literal: "\r\n")
    line.append(contentsOf: others)
    self.line = line
    var start: [UInt8] = []
    start.append(statusLine: .partialContent)
    partialContentStart = start + line
  }
}
