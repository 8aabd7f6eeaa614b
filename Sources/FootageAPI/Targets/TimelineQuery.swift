package import FootageBase

/// The requested time of a camera's timeline, and its amount of detail: the parameters of `GET /cameras/CAM.json`.
package struct TimelineQuery: Hashable, Sendable {
  /// The beginning; nil for 24 hours before the end.
  package var from: UnixTimestamp?
  /// The end, which is not included; nil for the present.
  package var to: UnixTimestamp?
  /// The position where an earlier answer for the same time ended and this one continues.
  package var after: TimelineCursor?
  /// The list of recordings in each span.
  package var rows: Rows

  /// The amount of detail about the recordings that a span consists of, with the word in the parameter `rows`.
  package enum Rows: String, Hashable, Sendable {
    /// The recordings are not listed.
    case none = "0"
    case listed = "1"
    /// The recordings are listed with the addresses of their films. Earlier robots do not know this word.
    case films
  }

  package init(
    from: UnixTimestamp? = nil, to: UnixTimestamp? = nil, after: TimelineCursor? = nil, rows: Rows = .listed
  ) {
    self.from = from
    self.to = to
    self.after = after
    self.rows = rows
  }
}

/// The position where a camera's timeline continues. An app returns the text unchanged without interpreting it.
package struct TimelineCursor: Hashable, Sendable {
  /// The text of the cursor. A robot uses only characters that need no escape in a URL.
  package let text: String

  package init(text: String) { self.text = text }

  /// - Parameter place: the moment at which the next answer begins.
  package init(_ place: UnixTimestamp) { text = String(place.milliseconds) }

  /// The moment; nil if the cursor does not have this version's form.
  package var place: UnixTimestamp? {
    let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isDigits, text.utf8.count <= Self.longest else { return nil }
    return Int64(text).map { UnixTimestamp(milliseconds: $0) }
  }

  /// The greatest length in characters: milliseconds up to the year 9999.
  private static let longest = 15
}

extension TimelineQuery {
  /// - Throws: `ResourceError.badQuery`.
  init(_ parameters: QueryParameters) throws(ResourceError) {
    self.init()
    if var values = try ViewParameters(parameters, beside: "after", "rows") {
      from = try values.takeMoment("from")
      to = try values.takeMoment("to")
      _ = (values.take("after"), values.take("rows"))
      try values.refuseOthers("A camera accepts the times from and to")
      if let from, let to, from >= to { throw ViewParameters.reversed }
    }
    if let text = try parameters.single("after") {
      let cursor = TimelineCursor(text: text)
      guard cursor.place != nil else {
        throw .badQuery("The parameter after must be the \"next\" of an earlier answer.")
      }
      after = cursor
    }
    if let text = try parameters.single("rows") {
      guard let rows = Rows(rawValue: text) else { throw .badQuery("The parameter rows must be 0, 1 or films.") }
      self.rows = rows
    }
  }

  var query: String {
    var writer = QueryWriter()
    writer.add("from", from?.parameter)
    writer.add("to", to?.parameter)
    writer.add("after", after?.text)
    if rows != .listed { writer.add("rows", rows.rawValue) }
    return writer.text
  }
}
