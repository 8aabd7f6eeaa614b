package import FootageBase

/// A place in the list of recordings, which stays when recordings come and go around it.
///
/// An app hands back the text that it was given, whatever it says; the robot reads its place out of it.
package struct ListCursor: Hashable, Sendable {
  /// A recording's place: the newest comes first, and of those that began together the path decides.
  package struct Place: Hashable, Comparable, Sendable {
    package let startedAt: UnixTimestamp
    /// Of its file, below the recordings' folder.
    package let path: String

    package init(startedAt: UnixTimestamp, path: String) {
      self.startedAt = startedAt
      self.path = path
    }

    package static func == (one: Place, other: Place) -> Bool {
      one.startedAt == other.startedAt && ExactName(one.path) == ExactName(other.path)
    }

    package func hash(into hasher: inout Hasher) {
      hasher.combine(startedAt)
      hasher.combine(ExactName(path))
    }

    package static func < (one: Place, other: Place) -> Bool {
      one.startedAt == other.startedAt
        ? ExactName(one.path) < ExactName(other.path) : one.startedAt > other.startedAt
    }
  }

  /// Of characters that may stand in a URL as they are, where a robot has written it.
  package let text: String

  package init(text: String) { self.text = text }

  package init(_ place: Place) {
    text = "\(place.startedAt.milliseconds)_\(Hexadecimal.encode(place.path.utf8))"
  }

  /// Nil where it is none that this version has written, such as a cursor of a version that knew seconds alone: its
  /// place is none in a list that is ordered more finely.
  package var place: Place? {
    let parts = text.utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].count % 2 == 0,
      let milliseconds = Int64(String(decoding: parts[0], as: UTF8.self))
    else { return nil }
    var bytes: [UInt8] = []
    var digits = parts[1].makeIterator()
    while let first = digits.next(), let second = digits.next() {
      guard let high = Hexadecimal.value(first), let low = Hexadecimal.value(second) else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self).map {
      Place(startedAt: UnixTimestamp(milliseconds: milliseconds), path: $0)
    }
  }
}
