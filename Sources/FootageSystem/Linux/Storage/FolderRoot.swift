internal import FootageBase

/// A folder in which names are looked up without leaving it: neither links nor `..` are followed on the way. Otherwise
/// a user who may write in the folder could replace a part of a path with a link at any moment, and have any file read.
///
/// The folder is opened only for each use, since an open descriptor keeps its file system from being unmounted. The
/// folder itself may lie behind links that its owner made; those are resolved beforehand.
package struct FolderRoot: Hashable, Sendable {
  /// The absolute path of the folder.
  package let path: String

  package init(_ path: String) { self.path = path }

  /// Returns true if an absolute path lies in the folder, judged only by its text.
  package func contains(_ other: String) -> Bool {
    path == "/" || other == path || other.utf8.starts(with: "\(path)/".utf8)
  }

  /// Opens a regular file for reading. Calls `openat2`; may block.
  ///
  /// - Throws: `StorageError`: it does not exist, no permission, not a regular file, or reached by a link
  ///   (`.wrongKind`).
  package func open(_ path: String) throws(StorageError) -> RandomAccessFile {
    // A FIFO of that name must not block the caller forever.
    let descriptor: FileDescriptor
    do throws(Errno) { descriptor = try open(path, [.reading, .withoutWaiting]) } catch {
      throw StorageError("open", full(path), error == .symbolicLink ? .wrongKind("a symbolic link") : .system(error))
    }
    return try RandomAccessFile(descriptor, path: full(path))
  }

  /// Returns the status of the file at the path; a symbolic link as its last part is not followed. Calls `openat2` and
  /// `fstat`; may block.
  ///
  /// - Throws: `StorageError`, `.notAFolder` if there is a link instead of a folder on the way.
  package func status(of path: String) throws(StorageError) -> FileStatus {
    do throws(Errno) { return try open(path, .asking).status() } catch {
      throw StorageError("examine", full(path), .system(error == .symbolicLink ? .notAFolder : error))
    }
  }

  /// Opens a folder to list it; the empty path is the root itself. Calls `openat2`; may block.
  ///
  /// - Throws: `StorageError`: it does not exist, no permission, not a folder, or reached by a link.
  package func folder(_ path: String) throws(StorageError) -> OpenFolder {
    let descriptor = try StorageError.of("list", full(path)) { () throws(Errno) in
      try open(path, [.reading, .folder])
    }
    return OpenFolder(descriptor, path: full(path))
  }

  /// Opens a folder, and creates it and those above it if they do not exist. The root itself is not created.
  ///
  /// - Throws: `StorageError`: no permission, reached by a link, or something other than a folder has one of the names.
  package func makingFolder(_ path: String) throws(StorageError) -> OpenFolder {
    do throws(StorageError) { return try folder(path) } catch {
      guard error.reason == .system(.notFound), !path.isEmpty else { throw error }
    }
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = try makingFolder(slash.map { String(path[..<$0]) } ?? "")
    do throws(StorageError) { try parent.createFolder(FileTree.name(of: path)) } catch {
      // Another process has just created it.
      guard error.reason == .system(.alreadyExists) else { throw error }
    }
    return try folder(path)
  }

  /// Returns the absolute path, for messages.
  private func full(_ path: String) -> String { path.isEmpty ? self.path : "\(self.path)/\(path)" }

  private func open(_ path: String, _ opening: FileDescriptor.Opening) throws(Errno) -> FileDescriptor {
    let root = try FileDescriptor.openToSearch(self.path)
    return NameBytes.isPlain(path)
      ? try root.openBeneath(path, opening) : try root.openBeneath(bytes: NameBytes.bytes(of: path), opening)
  }
}
