internal import FootageBase
internal import FootageSystem

/// The contents of a folder and of the folders below it: the files that may be recordings, and the entries that were
/// left out.
struct FolderScan {
  /// The files that have a recording's name, in the order of their paths.
  private(set) var files: [(path: RelativePath, status: FileStatus)] = []
  /// The folders that could not be listed, for a reason that may be temporary. The records of their contents stay.
  private(set) var unlisted: [RelativePath] = []
  /// The files that were about to be deleted when the server ended.
  private(set) var leftovers: [RelativePath] = []
  /// True if the kernel reports changes in all of the folders.
  private(set) var isWatched = true
  /// True if the folder in which the scan began exists.
  private(set) var isThere = true
  /// The error if the folder in which the scan began exists, but may not be read.
  private(set) var denial: StorageError?
  private(set) var events: [LibraryEvent] = []
  /// The video files that are not MP4.
  private(set) var foreign = ForeignFileCounts()

  /// Walks the folder. It sets a watch on each folder before listing it, so that no change is missed in between.
  /// Follows no links. Blocks.
  static func of(_ folder: RelativePath, in place: LibraryPaths, _ watcher: inout FolderWatcher) -> FolderScan {
    var scan = FolderScan()
    scan.walk(folder, place, &watcher, depth: folder.text.utf8.count { $0 == UInt8(ascii: "/") }, isFirst: true)
    return scan
  }

  private mutating func walk(
    _ folder: RelativePath, _ place: LibraryPaths, _ watcher: inout FolderWatcher, depth: Int, isFirst: Bool
  ) {
    do throws(StorageError) {
      try watcher.watch(folder)
    } catch {
      switch error.reason {
      // The folder is missing or is not a folder; the listing reports the same.
      case .system(.notFound), .system(.notAFolder), .system(.symbolicLink): break
      default:
        isWatched = false
        events.append(.warning(Self.unwatched(error)))
      }
    }
    let opened: OpenFolder
    let entries: [FolderListing.Entry]
    do throws(StorageError) {
      opened = try place.folder(folder)
      entries = try opened.entries()
    } catch {
      return noteUnlisted(folder, error, &watcher, isFirst: isFirst)
    }
    for entry in entries { visit(entry, in: folder, opened, place, &watcher, depth: depth) }
  }

  private mutating func visit(
    _ entry: FolderListing.Entry, in folder: RelativePath, _ opened: OpenFolder, _ place: LibraryPaths,
    _ watcher: inout FolderWatcher, depth: Int
  ) {
    // A name that is not UTF-8 is listed by its bytes all the same, so that users can see that it does not play.
    let name = NameBytes.text(entry.bytes)
    let path = folder.appending(name)
    let isHidden = name.utf8.first == UInt8(ascii: ".")
    if name.utf8.starts(with: TemporaryFile.namePrefix.utf8) {
      return opened.sweep(name)
    }
    if LeavingName.isHidden(name) {
      if entry.kind == .regular { leftovers.append(path) }
      return
    }
    switch entry.kind {
    case .folder where isHidden: break
    case .folder where depth >= LibraryLimits.folderDepth:
      events.append(
        .leftOut(path: path.text, reason: "more than \(LibraryLimits.folderDepth) folders deep", .warning))
    case .folder: walk(path, place, &watcher, depth: depth + 1, isFirst: false)
    case .symbolicLink where !isHidden && !RecordingName.isVideo(entry.bytes):
      events.append(
        .leftOut(path: path.text, reason: "it is a symbolic link, which is not followed", .info))
    default:
      switch RecordingName.of(path) {
      case .other:
        if entry.kind != .other, ForeignVideo.isListed(entry.bytes) { foreign.add(path, in: folder) }
      case .hidden: events.append(.leftOut(path: path.text, reason: "its name starts with a dot", .info))
      case .recording:
        // If the file is gone again, it is rightly missing from the scan.
        let status = path.isExact ? try? opened.status(of: name) : try? place.status(of: path)
        if let status { files.append((path, status)) }
      }
    }
  }

  private mutating func noteUnlisted(
    _ folder: RelativePath, _ error: StorageError, _ watcher: inout FolderWatcher, isFirst: Bool
  ) {
    switch error.reason {
    case .system(.notFound), .system(.notAFolder), .system(.symbolicLink):
      watcher.forget(folder)
      if isFirst { isThere = false }
    case .system(.permissionDenied):
      if isFirst { (isThere, denial) = (false, error) }
      // The state of the served folder itself is logged elsewhere.
      if folder != .root { events.append(.leftOut(path: folder.text, reason: error.description, .warning)) }
    default:
      unlisted.append(folder)
      events.append(.warning(error.description))
    }
  }

  private static func unwatched(_ error: StorageError) -> String {
    switch error.reason {
    case .system(.noSpaceLeft):
      "the user's limit of watched folders is reached: new recordings are found by a scan every "
        + "\(LibraryLimits.unwatchedRescanNanoseconds / 1_000_000_000) s; raise fs.inotify.max_user_watches"
    default: "\(error): changes there are found by repeated scans"
    }
  }
}
