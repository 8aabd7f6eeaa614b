extension FileStatus {
  /// Returns the status of the file at `path`; a symbolic link is not followed unless requested. Calls `fstatat`.
  ///
  /// - Throws: `StorageError` if nothing is there, or the permission to examine it is missing.
  package static func of(_ path: String, followingLinks: Bool = false) throws(StorageError) -> FileStatus {
    try StorageError.of("examine", path) { () throws(Errno) in
      try FileStatus.of(name: path, followingLinks: followingLinks)
    }
  }
}
