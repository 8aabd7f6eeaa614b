package import FootageBase

/// A page of the list of recordings: the answer to `GET /recordings`.
package struct RecordingList: Hashable, Sendable {
  package let header: ListHeader
  /// To be read by `RecordingItem`, each by itself: one that makes no sense must not take the others with it.
  package let items: [JSONValue]
  /// Where the next page begins; nil on the last one.
  package let next: ListCursor?

  /// - Returns: nil where what every list has is missing or of another kind.
  package init?(_ json: JSONValue) {
    guard let items = json["recordings"]?.array, let next = json["next"], next.isNull || next.string != nil else {
      return nil
    }
    header = ListHeader(json)
    self.items = items
    self.next = next.string.map { ListCursor(text: $0) }
  }

  /// Writes a page as one JSON object.
  ///
  /// - Parameter items: written one after the other, so that they need not all be there at once.
  package static func write(
    _ header: ListHeader, _ items: some Sequence<RecordingItem>, next: ListCursor?, into json: inout JSONWriter
  ) {
    json.object { json in
      header.write(into: &json)
      json.member("recordings") { json in json.array(items) { json, item in item.write(into: &json) } }
      json.member("next", next?.text)
    }
  }
}
