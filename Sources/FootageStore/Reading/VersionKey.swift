internal import FootageAPI
internal import FootageBase

/// A version of a recording, by the recording's name and the version's tag.
///
/// Both are compared byte by byte: two spellings of a letter are equal strings, but two recordings.
package struct VersionKey: Hashable, Sendable {
  package let name: String
  package let tag: String

  package init(name: String, tag: String) {
    self.name = name
    self.tag = tag
  }

  package static func == (one: VersionKey, other: VersionKey) -> Bool {
    ExactName(one.name) == ExactName(other.name) && ExactName(one.tag) == ExactName(other.tag)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }

  /// A hash of the bytes. If two keys have the same one by accident, that costs another look and nothing else.
  package var fingerprint: UInt64 {
    var hash = FNV1a()
    hash.add(Array(name.utf8)[...])
    hash.add([0])
    hash.add(Array(tag.utf8)[...])
    return hash.value
  }
}
