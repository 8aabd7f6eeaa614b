internal import FootageBase
internal import FootageSystem

/// What removing a recording asks of the folder it is in: a seam, so that a test can end it between any two steps.
protocol RemovalFiles {
  /// What has this name; nil for nothing.
  func status(of path: RelativePath) throws(StorageError) -> RemovalFacts?
  /// Whether what has this name must not be removed: it is protected, or somebody writes to it.
  func obstacle(at path: RelativePath) throws(StorageError) -> RemovalObstacle?
  /// Gives what has a name another one in the same folder.
  ///
  /// - Throws: `.alreadyExists` where something has that.
  func rename(_ path: RelativePath, to target: RelativePath) throws(StorageError)
  func remove(_ path: RelativePath) throws(StorageError)
  /// Makes the names in a folder durable.
  func sync(_ folder: RelativePath) throws(StorageError)
}

/// What a folder says of a file, as far as its removal depends on it.
struct RemovalFacts: Hashable {
  var isRegularFile = true
  var version: FileVersion
  var linkCount: UInt64
}

/// Why a file must not be removed.
enum RemovalObstacle: Hashable { case kept, written }

/// The recordings folder itself; each call opens what it is about beneath it, and follows no link.
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
