/// Where a library's files are.

package struct LibraryPlace: Hashable, Sendable {
  /// Of the recordings, absolute and without links.
  package let recordings: String
  /// Of what can be built again at any time: catalog, heads, lock.
  package let state: String

  package var heads: String { "\(state)/heads" }
  package var catalog: String { "\(state)/catalog.sqlite" }
  package var lock: String { "\(state)/serve.lock" }

  /// The absolute path of a file below the recordings folder.
  package func file(_ path: RelativePath) -> String {
    path.text.isEmpty ? recordings : "\(recordings)/\(path.text)"
  }

  /// The absolute path of the head of the version with this tag (without its quotes).
  package func head(_ tag: String) -> String { "\(heads)/\(tag).head" }
}
