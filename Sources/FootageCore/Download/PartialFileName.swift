internal import FootageBase
internal import FootageSystem

/// What a download is called until it is whole: `FILE.part`, and `FILE.part.map` beside it.
package enum PartialFileName {
  /// Of a file's name, in bytes, on every file system that matters.
  private static let longest = 255
  private static let ending = ".part"
  private static let mapEnding = ".map"
  /// What is left of a name that is too long, before the hash of all of it.
  private static let keptBytes = 200

  /// The path of the file that is fetched into.
  package static func part(of target: String) -> String {
    let name = FileTree.name(of: target)
    guard name.utf8.count + ending.utf8.count + mapEnding.utf8.count > longest else { return target + ending }
    // Two long names differ in their ends most often.
    var kept = ""
    for character in name where kept.utf8.count + character.utf8.count <= keptBytes { kept.append(character) }
    let hash = String(FNV1a.hash(Array(name.utf8)[...]), radix: 16)
    return "\(String(target.dropLast(name.count)))\(kept)-\(hash)\(ending)"
  }

  /// The path of its map.
  package static func map(of target: String) -> String { part(of: target) + mapEnding }
}
