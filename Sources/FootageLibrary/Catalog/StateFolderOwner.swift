package import FootageSystem

/// Tells a state folder of Footage's from a folder in which somebody else's files have the same names.
///
/// Whatever has one of these names in a state folder is rewritten or deleted at a start. So a folder is used only if
/// it holds nothing of these names, or a sign that Footage made them: one of its databases, the lock of a server,
/// preambles, or a list, a record or a cache that has its form. Any one of them will do, since all but the list of kept
/// recordings may be deleted while no server runs.
package enum StateFolderOwner {
  /// The lock of a server of one folder, and of a server of many robots. Both are empty files.
  private static let locks = ["serve.lock", "fleet.lock"]
  /// What is rewritten or deleted without a look at what it holds.
  private static let rewritten = ["retention", "kept", "store-cache"]
  /// The folder of preambles, sample indexes and manifests.
  private static let heads = "heads"
  /// The database of what is in a store.
  package static let storeRecord = (
    name: "offload.sqlite", owner: DatabaseOwner(table: "versions", columns: ["entity_tag", "upload", "manifest"])
  )
  /// What a database is called that gave way to a new one.
  private static let setAside = ".set-aside"
  /// The state folder's usual name, among the recordings.
  private static let usualName = ".footage"

  /// Looks at a folder that is to be used. Writes nothing; blocks.
  ///
  /// - Parameters:
  ///   - folder: it need not be there.
  ///   - database: the name of the database in it by which it is known.
  ///   - owner: by which that is told from another program's.
  /// - Throws: `StorageError`, `.wrongKind`, with the path of a file that is not Footage's.
  package static func check(
    _ folder: String, database: String, _ owner: DatabaseOwner
  ) throws(StorageError) {
    let path = "\(folder)/\(database)"
    let finding = owner.finding(at: path)
    switch finding {
    case .ours: return
    case .foreign: throw notOurs(path, "a database of another program")
    case .free, .damaged, .unknown: break
    }
    let preambles = preambles(in: folder)
    if FileTree.name(of: folder) == usualName || hasLock(folder) || preambles == .some || hasSign(folder, database) {
      return
    }
    if finding == .damaged { throw notOurs(path, "no database of Footage's, as far as can be told") }
    for name in locks + rewritten + (preambles == .others ? [heads] : []) where FileTree.exists("\(folder)/\(name)") {
      throw notOurs("\(folder)/\(name)", "not Footage's, as far as can be told")
    }
  }

  private static func notOurs(_ path: String, _ kind: String) -> StorageError {
    StorageError("use", path, .wrongKind("\(kind), and stays as it is: give Footage another state folder"))
  }

  private static func hasLock(_ folder: String) -> Bool {
    locks.contains { name in
      guard let status = try? FileStatus.of("\(folder)/\(name)") else { return false }
      return status.kind == .regular && status.version.size == 0
    }
  }

  /// Whether a file beside the database has the form that Footage gives it.
  private static func hasSign(_ folder: String, _ database: String) -> Bool {
    storeRecord.owner.finding(at: "\(folder)/\(storeRecord.name)") == .ours
      || FileTree.exists("\(folder)/\(database)\(setAside)") || KeptList(path: "\(folder)/kept").hasForm
      || RetentionRecord.hasForm(at: "\(folder)/\(RetentionRecord.name)") || hasCache(folder)
  }

  /// The cache has no form of its own: it is readable by its owner alone, who is this user.
  private static func hasCache(_ folder: String) -> Bool {
    guard let status = try? FileStatus.of("\(folder)/store-cache") else { return false }
    return status.kind == .regular && status.owner == Process.user && status.mode & 0o077 == 0
  }

  private enum Preambles {
    /// There is an empty folder for them, or none.
    case none
    /// There are preambles, sample indexes or manifests, and nothing else beside them.
    case some
    /// There is something else under the folder's name, or in it.
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
