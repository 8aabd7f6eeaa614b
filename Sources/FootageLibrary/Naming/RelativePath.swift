internal import FootageAPI
internal import FootageBase

/// A path below the recordings folder, compared byte by byte.
///
/// `String` treats two spellings of `é` as equal. The file system does not, and neither may the library.
package struct RelativePath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The path without a `/` at either end; empty for the recordings folder itself.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// The recordings folder itself.
  package static let root = RelativePath("")

  /// The path in a readable form.
  package var description: String { NameBytes.shown(text) }

  /// True if the whole path is UTF-8, so that the text is the path on disk. Otherwise the text encodes its bytes
  /// (`NameBytes`).
  package var isExact: Bool { NameBytes.isPlain(text) }

  /// Returns the path of the entry `name` in this folder.
  package func appending(_ name: String) -> RelativePath {
    RelativePath(text.isEmpty ? name : "\(text)/\(name)")
  }

  /// The folder that contains the entry; the recordings folder is its own parent.
  package var parent: RelativePath {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
    return RelativePath(String(text[..<slash]))
  }

  /// True if the name ends in `.mov`.
  var isQuickTime: Bool { text.utf8.suffix(4).map { $0 | 0x20 }.elementsEqual(".mov".utf8) }

  /// Returns whether this path is `folder` itself or lies inside it, at any depth.
  package func isInside(_ folder: RelativePath) -> Bool {
    folder.text.isEmpty || self == folder
      || text.utf8.starts(with: folder.text.utf8)
        && text.utf8.dropFirst(folder.text.utf8.count).first == UInt8(ascii: "/")
  }

  package static func == (left: RelativePath, right: RelativePath) -> Bool {
    ExactName(left.text) == ExactName(right.text)
  }

  package static func < (left: RelativePath, right: RelativePath) -> Bool {
    ExactName(left.text) < ExactName(right.text)
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(ExactName(text)) }
}
