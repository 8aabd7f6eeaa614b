internal import FootageBase
internal import FootageSystem

/// The operations on its folder that the removal of a recording needs. A test can interrupt it between any two of them.
protocol RemovalFiles {
  /// Returns the facts about the file at this path; nil if there is none.
  func status(of path: RelativePath) throws(StorageError) -> RemovalFacts?
  /// Returns the reason why the file with this name must not be removed; nil if there is none.
  func obstacle(at path: RelativePath) throws(StorageError) -> RemovalObstacle?
  /// Renames a file within its folder.
  ///
  /// - Throws: `.alreadyExists` if something has that name.
  func rename(_ path: RelativePath, to target: RelativePath) throws(StorageError)
  func remove(_ path: RelativePath) throws(StorageError)
  /// Makes the names in a folder durable.
  func sync(_ folder: RelativePath) throws(StorageError)
}

/// The facts about a file that matter for its removal.
struct RemovalFacts: Hashable {
  var isRegularFile = true
  var version: FileVersion
  var linkCount: UInt64
}

/// The reason why a file must not be removed: it is protected, or a process is writing to it.
enum RemovalObstacle: Hashable { case kept, written }

/// The operations on the recordings folder itself. Each call opens the file below it, and follows no links.
struct FolderRemovalFiles: RemovalFiles {
  let place: LibraryPaths
  let lists: KeptLists

  func status(of path: RelativePath) throws(StorageError) -> RemovalFacts? {
    do throws(StorageError) {
      let status = try place.status(of: path)
      return RemovalFacts(
        isRegularFile: status.kind == .regular, version: status.version, linkCount: status.linkCount)
    } catch {
      guard [.system(.notFound), .system(.notAFolder)].contains(error.reason) else { throw error }
      return nil
    }
  }

  func obstacle(at path: RelativePath) throws(StorageError) -> RemovalObstacle? {
    let file = try place.open(path)
    if try file.hasMark(Keeper.markName) { return .kept }
    for list in lists.all {
      let lines = try list.read().lines.filter { $0.identity.size == file.length }
      guard !lines.isEmpty else { continue }
      let identity = try KeptLine.identity(of: file)
      if lines.contains(where: { $0.identity == identity }) { return .kept }
    }
    return file.writers() == .held ? .written : nil
  }

  func rename(_ path: RelativePath, to target: RelativePath) throws(StorageError) {
    try place.folder(path.parent).rename(FileTree.name(of: path.text), to: FileTree.name(of: target.text))
  }

  func remove(_ path: RelativePath) throws(StorageError) {
    try place.folder(path.parent).remove(FileTree.name(of: path.text))
  }

  func sync(_ folder: RelativePath) throws(StorageError) { try place.folder(folder).sync() }
}
