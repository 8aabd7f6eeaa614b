internal import FootageBase

/// The address of a film in URLs: the text between `/hls/` and the name of a part.
package enum FilmAddress: Hashable, Sendable {
  /// The film of a version.
  ///
  /// - track: the number of its video track, from 1 on; nil for the one that films show.
  case version(FilmKey, track: Int? = nil)
  /// The film of a growing recording, by its ID. Its form is that of the tags by which earlier robots named the films
  /// of versions.
  case growing(ItemTag)

  /// The folder in which all films lie.
  package static let root = "hls"

  /// The folder of the film's parts, without a slash before it: `hls/KEY/`, `hls/KEY/tN/`, or `hls/ID/`.
  package var folder: String { "\(Self.root)/\(text)/" }

  /// The number of the video track that the address names; nil for the one that films show.
  package var track: Int? { if case .version(_, let track) = self { track } else { nil } }

  /// The text of the address: `KEY`, `KEY/tN`, or `ID`.
  package var text: String {
    switch self {
    case .version(let key, nil): key.text
    case .version(let key, let track?): "\(key.text)/t\(track)"
    case .growing(let id): id.text
    }
  }
}

extension FilmAddress {
  /// - Returns: nil if the text is not an address.
  package init?(_ text: String) {
    guard let (address, rest) = Self.read(Array("\(text)/".utf8)[...]), rest.isEmpty else { return nil }
    self = address
  }

  /// Reads the address at the beginning of a path.
  ///
  /// - Parameter path: the normalized path after `/hls/`.
  /// - Returns: the address and the rest of the path after its slash; nil if the path does not begin with an address.
  static func read(_ path: ArraySlice<UInt8>) -> (address: FilmAddress, part: ArraySlice<UInt8>)? {
    guard let (first, rest) = component(path) else { return nil }
    if let id = ItemTag(first) { return (.growing(id), rest) }
    guard let key = FilmKey(first) else { return nil }
    guard let (second, part) = component(rest), second.hasPrefix("t") else { return (.version(key), rest) }
    guard let track = VideoTrack.number(second.dropFirst()) else { return nil }
    return (.version(key, track: track), part)
  }

  private static func component(_ path: ArraySlice<UInt8>) -> (text: String, rest: ArraySlice<UInt8>)? {
    guard let slash = path.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    return (String(decoding: path[..<slash], as: UTF8.self), path[(slash + 1)...])
  }
}
