internal import FootageBase
internal import FootageSystem

/// Tells a cache's folder from a folder of somebody else's, before anything in it is changed.
///
/// A cache removes from its folder of media what its index does not know, and a person or an app may have named a folder
/// that holds a `media` of their own. So a folder is taken over only if nothing is in it, or a sign that it is a
/// cache's: an index, the manifest of a version, or a lock beside nothing but files of a cache's form.
enum CacheFolderOwner {
  /// What else Footage keeps in a user's folder of this name, and what a file system makes at its top.
  private static let neighbors: Set<String> = ["catalogs", "fleet", "lost+found"]

  /// Looks at a folder, and writes nothing. Blocks.
  ///
  /// - Throws: `.notOurs`; `.files` where the folder is there and cannot be read.
  static func check(_ folder: String, _ files: any CacheFiles) throws(CacheStoreProblem) {
    let names: [String]
    do throws(StorageError) {
      // The dot has a folder be listed that is reached by a link.
      names = try files.names(in: "\(folder)/.").filter { !isHidden($0) && !neighbors.contains($0) }
    } catch {
      guard error.reason == .system(.notFound) else { throw .files(error) }
      return
    }
    guard !names.isEmpty, !files.isIndex("\(folder)/fragments.sqlite") else { return }
    let media = ((try? files.names(in: "\(folder)/media")) ?? []).filter { !isHidden($0) }
    if media.isEmpty, names == ["media"], (try? files.names(in: "\(folder)/media")) != nil { return }
    let isManifest: (String) -> Bool = { name in
      name.hasSuffix(CacheStore.manifestEnding) && CacheStore.isManifest("\(folder)/media/\(name)", files)
    }
    guard !media.contains(where: isManifest) else { return }
    let foreign = media.first { !CacheStore.isOwn($0) }
    // Other programs make an empty file of this name as well, but beside nothing else, or files of the cache's form.
    let isAllOwn = foreign == nil && (!media.isEmpty || Set(names).isSubset(of: ["lock", "media"]))
    if isAllOwn, (try? files.openToRead("\(folder)/lock"))?.length == 0 { return }
    let other = names.first { $0 != "lock" && $0 != "media" } ?? names[0]
    throw .notOurs(name: foreign.map { "media/\($0)" } ?? other)
  }

  private static func isHidden(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }
}
