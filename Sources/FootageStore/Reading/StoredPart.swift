package import FootageAPI

/// One of the objects that a store has of a recording.
package enum StoredPart: Hashable, Sendable, CaseIterable {
  /// The recorder's bytes.
  case file
  /// The bytes that are served before those of the file.
  case preamble
  /// The sample index.
  case index

  package func key(_ keys: ObjectKeys) -> String {
    switch self {
    case .file: keys.file
    case .preamble: keys.preamble
    case .index: keys.index
    }
  }

  /// Returns the digests that its bytes must have; nil if there is no such object.
  package func digests(_ manifest: Manifest) -> ObjectDigests? {
    switch self {
    case .file: manifest.file
    case .preamble: manifest.preamble
    case .index: manifest.index
    }
  }
}
