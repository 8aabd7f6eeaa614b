internal import FootageBase
internal import FootageSystem

/// The names of a download until it is complete: `FILE.part`, and `FILE.part.map` beside it.
package enum PartialFileName {
  /// The longest name of a file, in bytes, on every file system that matters.
  private static let longest = 255
  private static let ending = ".part"
  private static let mapEnding = ".map"
  /// The number of bytes that are kept of a name that is too long. The hash of the whole name follows them.
  private static let keptBytes = 200

  /// Returns the path of the partial file.
  package static func part(of target: String) -> String {
    let name = FileTree.name(of: target)
    guard name.utf8.count + ending.utf8.count + mapEnding.utf8.count > longest else { return target + ending }
    // Long names mostly differ at their ends, so a hash of the whole name follows.
    var kept = ""
    for character in name where kept.utf8.count + character.utf8.count <= keptBytes { kept.append(character) }
    let hash = String(FNV1a.hash(Array(name.utf8)[...]), radix: 16)
    return "\(String(target.dropLast(name.count)))\(kept)-\(hash)\(ending)"
  }

  /// Returns the path of the map beside the partial file.
  package static func map(of target: String) -> String { part(of: target) + mapEnding }
}
