internal import CLinux
internal import Glibc

/// A folder that is open, so that what is asked of it is asked of this one, whatever takes its name meanwhile.
package final class OpenFolder {
  let descriptor: CInt
  let path: String

  init(adopting descriptor: CInt, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit { close(descriptor) }

  /// What is in it but `.` and `..`, in byte order of the names. Calls `openat` and `readdir`; may block.
  package func entries() throws(StorageError) -> [FolderListing.Entry] {
    let again = unsafe clinux_openat(descriptor, ".", O_RDONLY | O_DIRECTORY, 0)
    guard again >= 0 else { throw .system("list", path) }
    return try FolderListing.entries(adopting: again, path: path)
  }

  /// The thing of this name; a link is looked at itself. Calls `fstatat`; may block.
  package func status(of name: String) throws(StorageError) -> FileStatus {
    var status = stat()
    guard unsafe fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
      throw .system("look at", "\(path)/\(name)")
    }
    return FileStatus(status)
  }

  /// Whether it belongs to the user whom this process acts for. Calls `fstat`.
  package var isOwn: Bool {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 && status.st_uid == geteuid()
  }

  /// Removes everything in it, following no link. Blocks.
  ///
  /// - Parameter last: names that go after all others, so that they are still there where this is cut off.
  package func removeContents(last: [String] = []) throws(StorageError) {
    let all = try entries()
    let isLast = { (entry: FolderListing.Entry) in entry.name.map { last.contains($0) } ?? false }
    for entry in all.filter({ !isLast($0) }) + all.filter(isLast) {
      guard let name = entry.name else { continue }
      let isFolder = entry.kind == .folder
      if isFolder {
        let inner = unsafe clinux_openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0)
        guard inner >= 0 else { throw .system("list", "\(path)/\(name)") }
        try OpenFolder(adopting: inner, path: "\(path)/\(name)").removeContents()
      }
      guard unsafe unlinkat(descriptor, name, isFolder ? AT_REMOVEDIR : 0) == 0 || errno == ENOENT else {
        throw .system("delete", "\(path)/\(name)")
      }
    }
  }

  /// Removes what a killed process left of a temporary file; leaves it alone while somebody still writes to it.
  package func sweep(_ name: String) {
    let file = unsafe clinux_openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
    guard file >= 0 else { return }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { _ = unsafe unlinkat(descriptor, name, 0) }
    close(file)
  }
}
