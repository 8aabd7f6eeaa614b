/// A playlist as RFC 8216 §4 describes it, read line by line. The reader shares no code with the writer that it checks.
package struct Playlist {
  /// A tag: its name without the number sign, and what follows the colon.
  package struct Tag: Hashable {
    package let name: String
    package let value: String
  }

  /// A segment of a media playlist, or a variant of a multivariant one: a URI, and the tags between it and the one
  /// before it.
  package struct Entry: Hashable {
    package let uri: String
    package var tags: [Tag]

    package func value(_ name: String) -> String? { tags.last { $0.name == name }?.value }
    package func has(_ name: String) -> Bool { tags.contains { $0.name == name } }
    /// The seconds of a segment.
    package var seconds: Double? { value("EXTINF").flatMap { Double($0.prefix { $0 != "," }) } }
  }

  package let text: String
  /// All lines without their line feeds.
  package let lines: [String]
  /// The tags of all lines, in order.
  package let tags: [Tag]
  package let entries: [Entry]
  /// The tags after the last URI.
  package let rest: [Tag]

  package init(_ text: String) {
    self.text = text
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last?.isEmpty == true { lines.removeLast() }
    var tags: [Tag] = []
    var pending: [Tag] = []
    var entries: [Entry] = []
    for line in lines {
      if line.hasPrefix("#EXT") {
        let parts = line.dropFirst().split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let tag = Tag(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
        tags.append(tag)
        pending.append(tag)
      } else if !line.isEmpty, !line.hasPrefix("#") {
        entries.append(Entry(uri: line, tags: pending))
        pending = []
      }
    }
    self.lines = lines
    self.tags = tags
    self.entries = entries
    rest = pending
  }

  package func values(_ name: String) -> [String] { tags.filter { $0.name == name }.map(\.value) }
  package func has(_ name: String) -> Bool { tags.contains { $0.name == name } }

  /// True for a multivariant playlist (RFC 8216 §4.3.4).
  package var isMultivariant: Bool { has("EXT-X-STREAM-INF") || has("EXT-X-I-FRAME-STREAM-INF") }

  /// The seconds that no segment of the playlist is longer than.
  package var target: Int? { values("EXT-X-TARGETDURATION").first.flatMap { Int($0) } }

  /// Returns an attribute list (RFC 8216 §4.2), with the quotes around its strings.
  ///
  /// - Returns: nil if it is not one, or has an attribute twice.
  package static func attributes(_ text: String) -> [String: String]? {
    var found: [String: String] = [:]
    var rest = Substring(text)
    while !rest.isEmpty {
      guard let equals = rest.firstIndex(of: "=") else { return nil }
      let name = rest[..<equals]
      guard !name.isEmpty, name.allSatisfy({ ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "-" })
      else { return nil }
      rest = rest[rest.index(after: equals)...]
      var end = rest.firstIndex(of: ",") ?? rest.endIndex
      if rest.hasPrefix("\"") {
        guard let quote = rest.dropFirst().firstIndex(of: "\"") else { return nil }
        end = rest.index(after: quote)
      }
      guard end > rest.startIndex, found.updateValue(String(rest[..<end]), forKey: String(name)) == nil else {
        return nil
      }
      guard end < rest.endIndex else { return found }
      guard rest[end] == "," else { return nil }
      rest = rest[rest.index(after: end)...]
      guard !rest.isEmpty else { return nil }
    }
    return found.isEmpty ? nil : found
  }
}
