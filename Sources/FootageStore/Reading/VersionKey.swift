internal import FootageAPI
internal import FootageBase

/// A version of a recording, by the recording's name and the version's tag.
///
/// Both are compared byte by byte, because two spellings of a letter are equal strings but belong to different
/// recordings.
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

  /// A hash of the bytes. If two keys have the same hash by accident, it causes only an additional check.
  package var fingerprint: UInt64 {
    var hash = FNV1a()
    hash.add(Array(name.utf8)[...])
    hash.add([0])
    hash.add(Array(tag.utf8)[...])
    return hash.value
  }
}
