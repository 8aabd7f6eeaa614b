internal import FootageAPI
internal import FootageBase

/// A path below the recordings folder, told from others byte by byte.
///
/// `String` takes two spellings of `é` for equal; the file system does not, and neither may the library.
package struct RelativePath: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Without a `/` at either end; empty for the recordings folder itself.
  package let text: String

  package init(_ text: String) { self.text = text }

  /// The recordings folder itself.
  package static let root = RelativePath("")

  /// As people see it.
  package var description: String { NameBytes.shown(text) }

  /// Whether all of it is UTF-8, so that the text is the path on the disk. Else it is the text of its bytes (`NameBytes`).
  package var isExact: Bool { NameBytes.isPlain(text) }

  /// What is called `name` in this folder.
  package func appending(_ name: String) -> RelativePath {
    RelativePath(text.isEmpty ? name : "\(text)/\(name)")
  }

  /// The folder that it is in; the recordings folder is in itself.
  package var parent: RelativePath {
    guard let slash = text.utf8.lastIndex(of: UInt8(ascii: "/")) else { return .root }
    return RelativePath(String(text[..<slash]))
  }

  /// Whether its name ends in `.mov`.
  var isQuickTime: Bool { text.utf8.suffix(4).map { $0 | 0x20 }.elementsEqual(".mov".utf8) }

  /// Whether this is in `folder`, at any depth, or is the folder.
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
