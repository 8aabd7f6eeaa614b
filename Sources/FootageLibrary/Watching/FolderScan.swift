internal import FootageBase
internal import FootageSystem

/// What lies in a folder and below: the files that may be recordings, and what had to be left out.
struct FolderScan {
  /// Of every file that has a recording's name, in the order of a walk by names.
  private(set) var files: [(path: RelativePath, status: FileStatus)] = []
  /// What could not be listed just now, for a reason that may pass: what is known of it stays.
  private(set) var unlisted: [RelativePath] = []
  /// What was on its way out when the server ended.
  private(set) var leftovers: [RelativePath] = []
  /// Whether the kernel tells of changes in all of it.
  private(set) var isWatched = true
  /// Whether the folder that the scan began at is there.
  private(set) var isThere = true
  /// Why it may not be read, where it is there for others.
  private(set) var denial: StorageError?
  private(set) var events: [LibraryEvent] = []

  /// Walks the folder, with a watch on each folder before it is listed so that nothing falls between the two.
  /// Follows no link. Blocks.
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
      // Not there, or none: the listing says the same.
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
    // What is not UTF-8 is listed all the same, by its bytes: somebody has to see that it does not play.
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
        .leftOut(path: path.text, reason: "it is a symbolic link, and those are not followed", .info))
    default:
      switch RecordingName.of(path) {
      case .other: break
      case .hidden: events.append(.leftOut(path: path.text, reason: "its name starts with a dot", .info))
      case .recording:
        // Gone again in the meantime: then it is missing from the scan, as it should.
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
      // Of the folder that is served, more is said elsewhere.
      if folder != .root { events.append(.leftOut(path: folder.text, reason: error.description, .warning)) }
    default:
      unlisted.append(folder)
      events.append(.warning(error.description))
    }
  }

  private static func unwatched(_ error: StorageError) -> String {
    switch error.reason {
    case .system(.noSpaceLeft):
      "the user's limit of watched folders is reached: new recordings are found by looking every "
        + "\(LibraryLimits.unwatchedRescanNanoseconds / 1_000_000_000) s; raise fs.inotify.max_user_watches"
    default: "\(error): changes there are found by looking again and again"
    }
  }
}
