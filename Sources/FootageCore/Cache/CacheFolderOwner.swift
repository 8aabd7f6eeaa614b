internal import FootageBase
internal import FootageSystem

/// The check that a folder belongs to a cache, which is made before anything in the folder is changed.
///
/// A cache removes files from its `media` folder that its index does not know. A person or an app may have named a
/// folder that contains a different `media`. So a folder is taken over only if it is empty, or contains a sign that it
/// is a cache's. The sign is an index, the manifest of a version, or an empty lock, if every file in `media` has a name
/// that only a cache gives.
enum CacheFolderOwner {
  /// The names of Footage's other data in a user's default cache folder, and of the folder that a file system creates
  /// at its root.
  private static let neighbors: Set<String> = ["catalogs", "fleet", "lost+found"]

  /// Checks a folder, and writes nothing. Blocks.
  ///
  /// - Throws: `.notOurs`; `.files` if the folder exists and cannot be read.
  static func check(_ folder: String, _ files: any CacheFiles) throws(CacheStoreProblem) {
    let names: [String]
    do throws(StorageError) {
      // With the dot, a folder is listed even if it is reached through a link.
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
    // Other programs also create an empty file named `lock`. It counts only alone, or beside files of the cache's form.
    let isAllOwn = foreign == nil && (!media.isEmpty || Set(names).isSubset(of: ["lock", "media"]))
    if isAllOwn, (try? files.openToRead("\(folder)/lock"))?.length == 0 { return }
    let other = names.first { $0 != "lock" && $0 != "media" } ?? names[0]
    throw .notOurs(name: foreign.map { "media/\($0)" } ?? other)
  }

  private static func isHidden(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: ".") }
}
