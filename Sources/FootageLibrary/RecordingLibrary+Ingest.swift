internal import FootageAPI
internal import FootageBase
internal import FootageMedia
internal import FootageSystem

/// Importing files from anywhere (`footage ingest`).
extension RecordingLibrary {
  /// Imports a file into the recordings folder and indexes it; the source stays as it is. Blocks.
  ///
  /// A file in the folder is indexed where it is. A file from elsewhere keeps its name: it is hard-linked into the
  /// recordings folder if no process is writing to it, and copied durably otherwise. It is not an error if the same
  /// content is there already.
  ///
  /// - Throws: `LibraryError`: `.refused` if the file could not be served, `.nameTaken`, `.storage`.
  package func ingest(file: String) throws(LibraryError) -> Recording {
    let name = FileTree.name(of: file)
    let folder = try mapError(LibraryError.storage, try FileTree.canonical(FileTree.folder(of: file)))
    if let path = pathInside(folder: folder, name) {
      try checkName(path, file)
      return try indexed(path, file)
    }
    let path = RelativePath(name)
    let recordingName = try checkName(path, file)
    let source = try mapError(LibraryError.storage, try RandomAccessFile(path: FileTree.canonical(file)))
    try checkServable(source, path, file)
    if let holder = try holder(of: recordingName, source) {
      return try indexed(holder, file)
    }
    do throws(StorageError) {
      try bringIn(source, to: path)
    } catch {
      guard error.reason == .system(.alreadyExists) else { throw .storage(error) }
      // Another process was faster.
      guard try hasSameContent(path, source) else { throw .nameTaken(file: file, by: path.text) }
    }
    return try indexed(path, file)
  }

  /// Returns the path below the recordings folder; nil if the folder is neither that folder nor inside it.
  private func pathInside(folder: String, _ name: String) -> RelativePath? {
    if folder == place.recordings { return RelativePath(name) }
    let prefix = place.recordings == "/" ? "/" : place.recordings + "/"
    guard folder.utf8.starts(with: prefix.utf8) else { return nil }
    return RelativePath(String(decoding: folder.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)).appending(name)
  }

  @discardableResult
  private func checkName(_ path: RelativePath, _ file: String) throws(LibraryError) -> RecordingName {
    switch RecordingName.of(path) {
    case .recording(let name): return name
    case .hidden: throw .refused(file: file, reason: "its name, or the name of a folder in its path, starts with a dot")
    case .other: throw .refused(file: file, reason: "its name does not end in .mp4, .m4v or .mov")
    }
  }

  /// Throws if the file would be refused in the list. Such a file is not imported.
  private func checkServable(_ source: RandomAccessFile, _ path: RelativePath, _ file: String) throws(LibraryError) {
    let examination = FileExamination.of(source, isQuickTime: path.isQuickTime, by: examiner)
    switch IndexResult(examination, of: source) {
    case .complete: return
    case .incomplete(let reason, _), .refused(let reason, _), .fatal(let reason, _), .failed(let reason, _):
      throw .refused(file: file, reason: reason)
    case .gone, .unsettled: throw .refused(file: file, reason: "it is being written to; try again when it is complete")
    }
  }

  /// Returns the file that has this name, with any video extension, and the same content; nil if the name is free.
  private func holder(of name: RecordingName, _ source: RandomAccessFile) throws(LibraryError) -> RelativePath? {
    let entries = try mapError(LibraryError.storage, try FolderListing.entries(of: place.recordings))
    var taken: RelativePath?
    for entry in entries {
      let path = RelativePath(entry.name ?? "")
      guard case .recording(let other) = RecordingName.of(path), ExactName(other.text) == ExactName(name.text) else {
        continue
      }
      if try hasSameContent(path, source) { return path }
      taken = path
    }
    if let taken { throw .nameTaken(file: source.path, by: taken.text) }
    return nil
  }

  private func hasSameContent(_ path: RelativePath, _ source: RandomAccessFile) throws(LibraryError) -> Bool {
    let status = try mapError(LibraryError.storage, try place.status(of: path))
    guard status.kind == .regular else { return false }
    return try mapError(LibraryError.storage, try place.open(path).hasSameContent(as: source))
  }

  /// Gives the file its name in the recordings folder: atomically, durably, and only if nothing has that name.
  private func bringIn(_ source: RandomAccessFile, to path: RelativePath) throws(StorageError) {
    let target = place.location(of: path)
    if source.hasNoWriter() {
      do throws(StorageError) {
        try FileTree.link(source.path, as: target)
        return try FileTree.sync(folder: place.recordings)
      } catch {
        // A different file system, one without links, another user's file, or too many links: copy instead.
        if error.reason == .system(.alreadyExists) { throw error }
      }
    }
    let version = source.openingStatus.version
    let copy = try TemporaryFile(in: place.recordings)
    try copy.append(0..<version.size, of: source)
    try copy.setModified(nanoseconds: version.modifiedNanoseconds)
    guard source.isStill(version) else { throw StorageError("copy", source.path, .changed) }
    try copy.sync()
    try copy.rename(to: target)
    try FileTree.sync(folder: place.recordings)
  }

  /// Indexes a file that is already in the recordings folder.
  private func indexed(_ path: RelativePath, _ file: String) throws(LibraryError) -> Recording {
    guard let recording = index(path) else {
      throw .refused(file: file, reason: "there is no such file")
    }
    switch recording.state {
    case .ready: return recording
    case .recording: throw .refused(file: file, reason: "it is still being recorded")
    case .refused(let reason, _): throw .refused(file: file, reason: reason)
    }
  }
}
