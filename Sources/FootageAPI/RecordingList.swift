package import FootageBase

/// A page of the list of recordings: the answer to `GET /recordings`.
package struct RecordingList: Hashable, Sendable {
  package let header: ListHeader
  /// The items, each to be read by `RecordingItem` separately, so that one invalid item does not make the others
  /// unreadable.
  package let items: [JSONValue]
  /// The position where the next page begins; nil on the last page.
  package let next: ListCursor?

  /// - Returns: nil if a member that every list has is missing or has the wrong type.
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
  /// - Parameter items: written one after the other, so that they need not all be in memory at once.
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
