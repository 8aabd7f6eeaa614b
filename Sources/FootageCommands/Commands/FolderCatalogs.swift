internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The places where commands that only read keep the catalog of a folder of recordings: in the user's cache, so that
/// nothing is written to the recordings folder.
enum FolderCatalogs {
  /// The maximum number of catalogs. Beyond it, the least recently used ones are removed.
  private static let mostFolders = 64
  private static let nameLength = 16

  /// Returns the place of the catalog for a folder of recordings. The folder above it is created.
  ///
  /// A service may have no home, and `sudo` may leave root with a user's home, where files of root would be in the
  /// user's way. In these cases the catalog is in a temporary folder.
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

  /// Returns true if a folder belongs to this user. If it does not exist, the nearest existing folder above it counts.
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

  /// Removes catalogs that have not been used for long, and nothing else.
  private static func tidy(_ base: String, keeping kept: String) {
    let entries = (try? FolderListing.entries(of: base)) ?? []
    let catalogs = entries.compactMap { entry -> (path: String, used: Int64)? in
      guard entry.kind == .folder, let name = entry.name, name != kept, name.utf8.count == nameLength,
        name.utf8.allSatisfy({ Hexadecimal.value($0) != nil }),
        FileTree.exists("\(base)/\(name)/catalog.sqlite"),
        // Each use of a catalog creates a file in this folder for a moment.
        let heads = try? FileStatus.of("\(base)/\(name)/heads")
      else { return nil }
      return ("\(base)/\(name)", heads.version.modifiedNanoseconds)
    }
    guard catalogs.count >= mostFolders else { return }
    for catalog in catalogs.sorted(by: { $0.used < $1.used }).prefix(catalogs.count - mostFolders + 1) {
      // A catalog that remains only takes room, and the next command tries again.
      try? FileTree.removeFolder(catalog.path)
    }
  }
}
