/// The keys of the objects that a store has for one version of a recording: `PREFIX/ROBOT/NAME/TAG.mp4` and its
/// neighbors.
///
/// The version is part of the key, so that an object of one version never replaces an object of another version. The
/// name is the one in the list, in UTF-8 and not percent-encoded.
package struct ObjectKeys: Hashable, Sendable {
  /// The prefix of all of the robot's objects, with its slash.
  package let prefix: String
  package let name: String
  /// The tag of the version, as it is in the list.
  package let tag: String

  /// - Parameter prefix: the prefix of all of the robot's objects, with its slash.
  package init(prefix: String, name: String, tag: String) {
    self.prefix = prefix
    self.name = name
    self.tag = tag
  }

  private var base: String { "\(prefix)\(name)/\(tag)" }

  /// The key of the recorder's bytes.
  package var file: String { base + Self.fileSuffix }
  package var preamble: String { base + Self.preambleSuffix }
  package var index: String { base + Self.indexSuffix }
  /// The key of the manifest. It marks the version as complete: it is written last, and deleted first.
  package var manifest: String { base + Self.manifestSuffix }

  /// All of the keys, in the order in which they are deleted.
  package var all: [String] { [manifest, index, preamble, file] }

  private static let fileSuffix = ".mp4"
  private static let preambleSuffix = ".preamble"
  private static let indexSuffix = ".index"
  package static let manifestSuffix = ".json"

  /// Parses the key of one of a robot's objects.
  ///
  /// - Parameter prefix: with its slash, because without it, a store would also list the keys of `robot70` for
  ///   `robot7`.
  /// - Returns: nil if the key is not that of a recording's object.
  package init?(key: String, prefix: String) {
    // As bytes: two spellings of a letter are equal strings, but two keys.
    let (key, prefixBytes) = (Array(key.utf8), Array(prefix.utf8))
    guard key.count > prefixBytes.count, key.starts(with: prefixBytes) else { return nil }
    let rest = key.dropFirst(prefixBytes.count)
    guard let slash = rest.lastIndex(of: UInt8(ascii: "/")), slash > rest.startIndex,
      let dot = rest.lastIndex(of: UInt8(ascii: ".")), dot > slash + 1
    else { return nil }
    let suffix = String(decoding: rest[dot...], as: UTF8.self)
    guard [Self.fileSuffix, Self.preambleSuffix, Self.indexSuffix, Self.manifestSuffix].contains(suffix) else {
      return nil
    }
    self.prefix = prefix
    name = String(decoding: rest[..<slash], as: UTF8.self)
    tag = String(decoding: rest[(slash + 1)..<dot], as: UTF8.self)
  }
}
