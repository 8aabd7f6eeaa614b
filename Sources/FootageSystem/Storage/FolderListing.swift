/// What is in a folder, by name and kind.
package enum FolderListing {
  package typealias Entry = FolderEntry

  /// The entries of a folder but `.` and `..`, in byte order of their names. A folder that is reached by a symbolic
  /// link as its last part is not listed. Calls `openat` and `readdir`; may block.
  ///
  /// - Throws: `StorageError`: not there, no permission, not a folder.
  package static func entries(of folder: String) throws(StorageError) -> [Entry] {
    try StorageError.of("list", folder) { () throws(Errno) in
      try FileDescriptor.open(folder, [.reading, .folder, .refusingLink]).closingEntries()
    }
  }
}
