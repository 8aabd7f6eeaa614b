extension FileStatus {
  /// The file at `path`; a symbolic link is not followed unless asked for. Calls `fstatat`.
  ///
  /// - Throws: `StorageError` where there is nothing, or no permission to look.
  package static func of(_ path: String, followingLinks: Bool = false) throws(StorageError) -> FileStatus {
    try StorageError.of("look at", path) { () throws(Errno) in
      try FileStatus.of(name: path, followingLinks: followingLinks)
    }
  }
}
