internal import CLinux
internal import Glibc

/// A folder that is open, so that what is asked of it is asked of this one, whatever takes its name meanwhile.
package final class OpenFolder {
  private let descriptor: CInt
  private let path: String

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

  /// Removes what a killed process left of a temporary file; leaves it alone while somebody still writes to it.
  package func sweep(_ name: String) {
    let file = unsafe clinux_openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0)
    guard file >= 0 else { return }
    if flock(file, LOCK_EX | LOCK_NB) == 0 { _ = unsafe unlinkat(descriptor, name, 0) }
    close(file)
  }
}
