internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// Where commands that only read keep a catalog of a folder of recordings: in the cache of whoever runs them, so that
/// nothing is written among the recordings.
enum FolderCatalogs {
  /// Of more, those that were used longest ago go.
  private static let mostFolders = 64
  private static let nameLength = 16

  /// Where the catalog of a folder of recordings is. The folder above it is made.
  ///
  /// A service may have no home, and `sudo` may leave a user's home to root, whose files there would be in that user's
  /// way: then it is in a temporary folder.
  static func place(
    of recordings: String, environment: (String) -> String? = Process.variable, user: UInt32 = Process.user
  ) -> DerivedPlace {
    guard let cache = CacheFolder.ofThisUser(environment) else { return .temporary }
    let base = "\(cache)/catalogs"
    guard isOwn(base, user), (try? FileTree.createFolders(base)) != nil else { return .temporary }
    let path = (try? FileTree.canonical(recordings)) ?? recordings
    let name = Self.name(of: FNV1a.hash(Array(path.utf8)[...]))
    tidy(base, keeping: name)
    return .folder("\(base)/\(name)")
  }

  /// Whether a folder is this user's or, where it is not there, the nearest one above it.
  private static func isOwn(_ folder: String, _ user: UInt32) -> Bool {
    var folder = folder
    while true {
      if let status = try? FileStatus.of(folder, followingLinks: true) { return status.owner == user }
      let parent = FileTree.folder(of: folder)
      guard parent != folder else { return false }
      folder = parent
    }
  }

  private static func name(of hash: UInt64) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: nameLength - digits.utf8.count) + digits
  }

  /// Removes catalogs that nobody has used for long, and nothing that is something else.
  private static func tidy(_ base: String, keeping kept: String) {
    let entries = (try? FolderListing.entries(of: base)) ?? []
    let catalogs = entries.compactMap { entry -> (path: String, used: Int64)? in
      guard entry.kind == .folder, let name = entry.name, name != kept, name.utf8.count == nameLength,
        name.utf8.allSatisfy({ Hexadecimal.value($0) != nil }),
        FileTree.exists("\(base)/\(name)/catalog.sqlite"),
        // Whoever uses it makes a file here for a moment.
        let heads = try? FileStatus.of("\(base)/\(name)/heads")
      else { return nil }
      return ("\(base)/\(name)", heads.version.modifiedNanoseconds)
    }
    guard catalogs.count >= mostFolders else { return }
    for catalog in catalogs.sorted(by: { $0.used < $1.used }).prefix(catalogs.count - mostFolders + 1) {
      // It only takes room, and the next command tries again.
      try? FileTree.removeFolder(catalog.path)
    }
  }
}
