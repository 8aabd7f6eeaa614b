package import FootageBase

/// A position in the list of recordings that stays valid when recordings are added or removed around it.
///
/// An app returns the text unchanged without interpreting it; the robot reads its position from it.
package struct ListCursor: Hashable, Sendable {
  /// The position of a recording. The newest recording comes first; recordings that began together are ordered by path.
  package struct Place: Hashable, Comparable, Sendable {
    package let startedAt: UnixTimestamp
    /// The path of the recording's file below the recordings folder.
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

  /// The text of the cursor. A robot uses only characters that need no escape in a URL.
  package let text: String

  package init(text: String) { self.text = text }

  package init(_ place: Place) {
    text = "\(place.startedAt.milliseconds)_\(Hexadecimal.encode(place.path.utf8))"
  }

  /// The position; nil if the cursor does not have this version's form. Earlier versions wrote whole seconds, which are
  /// too coarse for a list that is ordered by milliseconds.
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
