package import FootageSystem

/// A check that distinguishes Footage's state folders from folders in which another program's files have the same
/// names.
///
/// Any file with one of these names in a state folder is rewritten or deleted at a start. So a folder is used only if
/// it contains none of these names, or a sign that Footage made them: one of its databases, a server's lock, preambles,
/// or a list, a record or a cache in its format. One sign is enough, because a person may delete any of the files
/// except the list of kept recordings while no server runs.
package enum StateFolderOwner {
  /// The locks of a server of one folder and of a server of many robots. Both are empty files.
  private static let locks = ["serve.lock", "fleet.lock"]
  /// The files that are rewritten or deleted without examining their contents.
  private static let rewritten = ["retention", "kept", "store-cache"]
  /// The folder of preambles, sample indexes and manifests.
  private static let heads = "heads"
  /// The database that lists the contents of a store.
  package static let storeRecord = (
    name: "offload.sqlite", owner: DatabaseOwner(table: "versions", columns: ["entity_tag", "upload", "manifest"])
  )
  /// The suffix of a database that was replaced by a new one.
  private static let setAside = ".set-aside"
  /// The default name of the state folder, inside the recordings folder.
  private static let usualName = ".footage"

  /// Checks a folder that is about to be used. Writes nothing; blocks.
  ///
  /// - Parameters:
  ///   - folder: the folder, which need not exist.
  ///   - database: the name of the database in it that identifies it.
  ///   - owner: the tables and columns that distinguish that database from another program's.
  /// - Throws: `StorageError`, `.wrongKind`, with the path of a file that is not Footage's.
  package static func check(
    _ folder: String, database: String, _ owner: DatabaseOwner
  ) throws(StorageError) {
    let path = "\(folder)/\(database)"
    let finding = owner.finding(at: path)
    switch finding {
    case .ours: return
    case .foreign: throw notOurs(path, "another program's database")
    case .free, .damaged, .unknown: break
    }
    let preambles = preambles(in: folder)
    if FileTree.name(of: folder) == usualName || hasLock(folder) || preambles == .some || hasSign(folder, database) {
      return
    }
    if finding == .damaged { throw notOurs(path, "apparently not a database of Footage") }
    for name in locks + rewritten + (preambles == .others ? [heads] : []) where FileTree.exists("\(folder)/\(name)") {
      throw notOurs("\(folder)/\(name)", "apparently not a file of Footage")
    }
  }

  private static func notOurs(_ path: String, _ kind: String) -> StorageError {
    StorageError("use", path, .wrongKind("\(kind), and is left unchanged: give Footage a different state folder"))
  }

  private static func hasLock(_ folder: String) -> Bool {
    locks.contains { name in
      guard let status = try? FileStatus.of("\(folder)/\(name)") else { return false }
      return status.kind == .regular && status.version.size == 0
    }
  }

  /// Returns whether a file beside the database has Footage's format.
  private static func hasSign(_ folder: String, _ database: String) -> Bool {
    storeRecord.owner.finding(at: "\(folder)/\(storeRecord.name)") == .ours
      || FileTree.exists("\(folder)/\(database)\(setAside)") || KeptList(path: "\(folder)/kept").hasForm
      || RetentionRecord.hasForm(at: "\(folder)/\(RetentionRecord.name)") || hasCache(folder)
  }

  /// Returns whether there is a cache. It has no format of its own, so its owner must be this user, with access for
  /// nobody else.
  private static func hasCache(_ folder: String) -> Bool {
    guard let status = try? FileStatus.of("\(folder)/store-cache") else { return false }
    return status.kind == .regular && status.owner == Process.user && status.mode & 0o077 == 0
  }

  private enum Preambles {
    /// The folder is empty or does not exist.
    case none
    /// There are preambles, sample indexes or manifests, and nothing else.
    case some
    /// The name belongs to another kind of entry, or the folder contains other files.
    case others
  }

  private static func preambles(in folder: String) -> Preambles {
    let path = "\(folder)/\(heads)"
    guard FileTree.exists(path) else { return .none }
    guard let entries = try? FolderListing.entries(of: path) else { return .others }
    let endings = [LibraryPaths.preambleSuffix, LibraryPaths.indexSuffix, LibraryPaths.manifestSuffix]
    let areOurs = entries.allSatisfy { entry in
      guard let name = entry.name else { return false }
      return name.utf8.starts(with: TemporaryFile.namePrefix.utf8) || endings.contains { name.hasSuffix($0) }
    }
    return areOurs ? (entries.isEmpty ? .none : .some) : .others
  }
}
