package import FootageBase

/// The time for which everything that a camera recorded is to be protected, or released: the body of `POST
/// /cameras/CAM.keep`.
package struct ProtectionSpan: Hashable, Sendable {
  package var from: UnixTimestamp
  /// The end of the time, which is not included.
  package var to: UnixTimestamp

  package init(from: UnixTimestamp, to: UnixTimestamp) {
    self.from = from
    self.to = to
  }

  /// The greatest length of a body in bytes, more than any valid body has.
  package static let longestBody = 4_096

  /// The reason why a body is not a span.
  package enum Fault: Error, Hashable, Sendable {
    case noJSON
    /// A value makes no sense. The text is a sentence that says what was expected.
    case senseless(String)
  }

  /// Reads `{"from": "2026-11-20T10:15:30Z", "to": 1795169790}`: RFC 3339, or seconds since 1970.
  package init(body: [UInt8]) throws(Fault) {
    guard let json = JSONValue(body) else { throw .noJSON }
    from = try Self.moment("from", json)
    to = try Self.moment("to", json)
    guard from < to else { throw .senseless("The member from must be before to.") }
  }

  private static func moment(_ name: String, _ json: JSONValue) throws(Fault) -> UnixTimestamp {
    if let moment = json[name]?.string.flatMap(UnixTimestamp.init(rfc3339:)) { return moment }
    if let seconds = json[name]?.double, (0...Self.lastSecond).contains(seconds) {
      return UnixTimestamp(milliseconds: Int64(seconds * 1_000))
    }
    throw .senseless("The member \(name) must be a time such as \"2026-11-20T10:15:30Z\", or seconds since 1970.")
  }

  /// The last second of the year 9999, since 1970.
  private static let lastSecond = 253_402_300_799.0

  /// Writes the span as one JSON object.
  package func write(into json: inout JSONWriter) {
    json.object { json in
      json.member("from", from.rfc3339)
      json.member("to", to.rfc3339)
    }
  }
}
