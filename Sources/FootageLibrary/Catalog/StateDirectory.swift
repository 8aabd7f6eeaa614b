internal import FootageBase
internal import FootageSystem
internal import Synchronization

/// Whose library it is.
package enum LibraryRole: Sendable {
  /// The one that holds the lock, watches, and sweeps.
  case server
  /// A short-lived process beside it.
  case command
}

/// The folder of what the library keeps for itself: catalog, preambles, sample indexes, lock.
final class StateDirectory: Sendable {
  let place: LibraryPaths
  /// Where it lies in a temporary folder, which goes away with this.
  private let scratch: ScratchFolder?
  private let lock: Mutex<FileLock?>

  var isTemporary: Bool { scratch != nil }

  private init(place: LibraryPaths, scratch: ScratchFolder?, lock: FileLock?) {
    self.place = place
    self.scratch = scratch
    self.lock = Mutex(lock)
  }

  /// Gives up the lock: the folder at this place is another one by now.
  func unlock() { lock.withLock { $0 = nil } }

  /// Opens the folder and the catalog in it, and falls back to a temporary one where it cannot be written.
  ///
  /// - Parameters:
  ///   - recordings: canonical.
  ///   - state: nil means `.footage` in the recordings folder.
  ///   - derived: where the catalog is.
  ///   - warn: told what had to be done differently.
  /// - Throws: `.alreadyServed`; `.catalog` where another process holds it too long; `.storage` where not even a
  ///   temporary folder can be had.
  static func open(
    recordings: String, state: String?, derived: DerivedPlace = .inState, role: LibraryRole, warn: (String) -> Void
  ) throws(LibraryError) -> (StateDirectory, Catalog) {
    var ownFolder: String?
    if case .folder(let folder) = derived { ownFolder = folder }
    let place = LibraryPaths(recordings: recordings, state: state ?? "\(recordings)/.footage", derived: ownFolder)
    var reason: String?
    // Killed servers left theirs; those before scratch folders had a lock held that of the state alone.
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
    if let reason { warn("\(reason); until the next start, catalog and preambles are kept in \(scratch.path)") }
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
      // Tells at once whether preambles can be stored; the name goes away with the object.
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

  /// Makes what is missing of the folders, unless they hold what is somebody else's.
  static func createFolders(_ place: LibraryPaths) throws(StorageError) {
    try StateFolderOwner.check(place.derived, database: FileTree.name(of: place.catalog), Catalog.owner)
    try FileTree.createFolder(place.derived)
    try FileTree.createFolder(place.heads)
  }

  /// All of the catalog can be built again, so one that cannot be used gives way.
  static func openCatalog(_ place: LibraryPaths, warn: (String) -> Void) throws(LibraryError) -> Catalog {
    let reason: String
    do throws(SQLiteError) {
      if let catalog = try Catalog.open(at: place) { return catalog }
      reason = "database \(place.catalog) was written by a newer footage"
    } catch {
      // `.other`: a schema that is not ours.
      guard error.kind == .damaged || error.kind == .other else { throw .catalog(error) }
      reason = "database \(place.catalog): \(error.message)"
    }
    warn("\(reason); it is kept as \(place.catalog).set-aside, and all recordings are indexed again")
    return try replaceCatalog(place)
  }

  /// Puts the catalog aside and makes a new one.
  static func replaceCatalog(_ place: LibraryPaths) throws(LibraryError) -> Catalog {
    try mapError(LibraryError.storage, try Catalog.setAside(at: place))
    if let catalog = try mapError(LibraryError.catalog, try Catalog.open(at: place)) { return catalog }
    throw .catalog(SQLiteError(code: 0, message: "it changes while it is opened", sql: nil, path: place.catalog))
  }
}
