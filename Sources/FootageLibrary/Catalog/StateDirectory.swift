internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// The role of the process that opened the library.
package enum LibraryRole: Sendable {
  /// The server, which holds the lock, watches the folder, and removes leftovers.
  case server
  /// A short-lived process beside the server.
  case command
}

/// The folder of the library's own files: catalog, preambles, sample indexes, lock.
final class StateDirectory: Sendable {
  let place: LibraryPaths
  /// The temporary folder that holds the files, deleted together with this object; nil if the folder is a permanent
  /// one.
  private let scratch: ScratchFolder?
  private let lock: Mutex<FileLock?>

  var isTemporary: Bool { scratch != nil }

  private init(place: LibraryPaths, scratch: ScratchFolder?, lock: FileLock?) {
    self.place = place
    self.scratch = scratch
    self.lock = Mutex(lock)
  }

  /// Releases the lock, after another folder has replaced the locked one.
  func unlock() { lock.withLock { $0 = nil } }

  /// Opens the folder and its catalog; falls back to a temporary folder if it is not writable.
  ///
  /// - Parameters:
  ///   - recordings: the canonical path.
  ///   - state: nil means `.footage` in the recordings folder.
  ///   - derived: the place of the catalog.
  ///   - warn: receives a message about each fallback.
  /// - Throws: `.alreadyServed`; `.catalog` if another process locks it for too long; `.storage` if not even a
  ///   temporary folder can be created.
  static func open(
    recordings: String, state: String?, derived: DerivedPlace = .inState, role: LibraryRole, warn: (String) -> Void
  ) throws(LibraryError) -> (StateDirectory, Catalog) {
    var ownFolder: String?
    if case .folder(let folder) = derived { ownFolder = folder }
    let place = LibraryPaths(recordings: recordings, state: state ?? "\(recordings)/.footage", derived: ownFolder)
    var reason: String?
    // Killed servers left scratch folders behind. The oldest of these contain only the state's lock, not one of their
    // own.
    if role == .server { ScratchFolder.sweep(otherLocks: [FileTree.name(of: place.lock)]) }
    do throws(LibraryError) {
      if derived != .temporary { return try open(place, nil, role: role, warn: warn) }
    } catch {
      switch error {
      case .storage(let error): reason = error.description
      case .catalog(let error) where error.kind != .busy: reason = error.description
      default: throw error
      }
    }
    let scratch = try mapError(LibraryError.storage, try ScratchFolder())
    if let reason { warn("\(reason); until the next start, the catalog and preambles are kept in \(scratch.path)") }
    let temporary = LibraryPaths(
      recordings: recordings, state: derived == .inState ? scratch.path : place.state, derived: scratch.path,
      namedState: place.state)
    return try open(temporary, scratch, role: role, warn: warn)
  }

  private static func open(
    _ place: LibraryPaths, _ scratch: ScratchFolder?, role: LibraryRole, warn: (String) -> Void
  ) throws(LibraryError) -> (StateDirectory, Catalog) {
    let folder: StateDirectory
    do throws(StorageError) {
      try createFolders(place)
      // Checks at once whether preambles can be stored; the name is removed together with the object.
      _ = try TemporaryFile(in: place.heads)
      let lock =
        role == .server ? try FileLock.taken(place.lock, within: LibraryLimits.folderLockPatience) : nil
      folder = StateDirectory(place: place, scratch: scratch, lock: lock)
    } catch {
      if error.reason == .system(.wouldBlock) { throw .alreadyServed(folder: place.recordings) }
      throw .storage(error)
    }
    return (folder, try openCatalog(place, warn: warn))
  }

  /// Creates the missing folders, unless they contain another program's files.
  static func createFolders(_ place: LibraryPaths) throws(StorageError) {
    try StateFolderOwner.check(place.derived, database: FileTree.name(of: place.catalog), Catalog.owner)
    try FileTree.createFolder(place.derived)
    try FileTree.createFolder(place.heads)
  }

  /// Opens the catalog, and replaces one that cannot be used, because all of it can be rebuilt.
  static func openCatalog(_ place: LibraryPaths, warn: (String) -> Void) throws(LibraryError) -> Catalog {
    let reason: String
    do throws(SQLiteError) {
      if let catalog = try Catalog.open(at: place) { return catalog }
      reason = "database \(place.catalog) was written by a newer version of Footage"
    } catch {
      // `.other`: a schema that is not ours.
      guard error.kind == .damaged || error.kind == .other else { throw .catalog(error) }
      reason = "database \(place.catalog): \(error.message)"
    }
    warn("\(reason); it was moved to \(place.catalog).set-aside, and all recordings will be indexed again")
    return try replaceCatalog(place)
  }

  /// Sets the catalog aside and creates a new one.
  static func replaceCatalog(_ place: LibraryPaths) throws(LibraryError) -> Catalog {
    try mapError(LibraryError.storage, try Catalog.setAside(at: place))
    if let catalog = try mapError(LibraryError.catalog, try Catalog.open(at: place)) { return catalog }
    throw .catalog(SQLiteError(code: 0, message: "it changed while it was being opened", sql: nil, path: place.catalog))
  }
}
