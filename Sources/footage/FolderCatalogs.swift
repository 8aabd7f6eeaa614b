internal import Formats
internal import Storage
internal import FootageSystem

/// Where commands that only read keep a catalog of a folder of recordings: in the cache of whoever runs them, so that
/// nothing is written among the recordings.
enum FolderCatalogs {
  /// Of more, those that were used longest ago go.
  private static let mostFolders = 64
  private static let nameLength = 16

  /// The folder of the catalog of a folder of recordings. The one above it is made.
  static func folder(of recordings: String) throws(UsageError) -> String {
    let base = "\(try CacheFolder.ofThisUser(otherwise: "to keep a catalog", "state-dir"))/catalogs"
    let path = (try? FileTree.canonical(recordings)) ?? recordings
    let name = Self.name(of: FNV1a.hash(Array(path.utf8)[...]))
    // Where it cannot be made, the library says so, and has a temporary one.
    try? FileTree.createFolders(base)
    tidy(base, keeping: name)
    return "\(base)/\(name)"
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
        let catalog = try? FileStatus.of("\(base)/\(name)/catalog.sqlite")
      else { return nil }
      return ("\(base)/\(name)", catalog.version.modifiedNanoseconds)
    }
    guard catalogs.count >= mostFolders else { return }
    for catalog in catalogs.sorted(by: { $0.used < $1.used }).prefix(catalogs.count - mostFolders + 1) {
      // It only takes room, and the next command tries again.
      try? FileTree.removeFolder(catalog.path)
    }
  }
}
