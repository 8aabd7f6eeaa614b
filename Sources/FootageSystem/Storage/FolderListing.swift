/// The contents of a folder, by name and kind.
package enum FolderListing {
  package typealias Entry = FolderEntry

  /// Returns the entries of a folder except `.` and `..`, in byte order of their names. A folder with a symbolic link
  /// as the last part of its path is not listed. Calls `openat` and `readdir`; may block.
  ///
  /// - Throws: `StorageError`: it does not exist, no permission, not a folder.
  package static func entries(of folder: String) throws(StorageError) -> [Entry] {
    try StorageError.of("list", folder) { () throws(Errno) in
      try FileDescriptor.open(folder, [.reading, .folder, .refusingLink]).closingEntries()
    }
  }
}
