#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Operations on the names of files and folders, each one a system call. All may block.
package enum FileNames {
  /// Renames a file, and replaces whatever has the new name. Calls `rename`.
  package static func rename(_ path: String, replacing target: String) throws(Errno) {
    guard unsafe SystemCalls.rename(path, target) == 0 else { throw .current }
  }

  /// Renames a file, unless something has the new name. Calls `renameat2`, on Darwin `renameatx_np`.
  ///
  /// - Throws: `.alreadyExists` if the name is taken; `.invalidArgument` or `.notImplemented` if the kernel or the file
  ///   system cannot rename without replacing.
  package static func rename(_ path: String, to target: String) throws(Errno) {
    guard unsafe SystemCalls.renameWithoutReplacing(path, target) == 0 else { throw .current }
  }

  /// Gives a file a second name. Calls `link`.
  ///
  /// - Throws: `.alreadyExists` if the name is taken.
  package static func link(_ path: String, as target: String) throws(Errno) {
    guard unsafe SystemCalls.link(path, target) == 0 else { throw .current }
  }

  /// Removes a file's name; it is not an error if it does not exist. Calls `unlink`.
  package static func remove(_ path: String) throws(Errno) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .current }
  }

  /// Removes an empty folder; it is not an error if it does not exist. Calls `rmdir`.
  package static func removeFolder(_ path: String) throws(Errno) {
    guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .current }
  }

  /// Creates a folder. Calls `mkdir`.
  package static func createFolder(_ path: String, mode: UInt32) throws(Errno) {
    guard unsafe mkdir(path, mode_t(mode)) == 0 else { throw .current }
  }

  /// Creates a folder whose name begins with `prefix` and ends with six characters that the system chooses. Only its
  /// owner can read it. Calls `mkdtemp`.
  ///
  /// - Returns: its path.
  package static func createTemporaryFolder(_ prefix: String) throws(Errno) -> String {
    var template = Array("\(prefix)XXXXXX".utf8CString)
    // Safe because the template ends with a zero, and `mkdtemp` changes only its last six characters.
    let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    guard isMade else { throw .current }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Returns the absolute path without links, `.` and `..`. Calls `realpath`.
  package static func canonical(_ path: String) throws(Errno) -> String {
    // Safe because `realpath` returns a new string that ends with a zero and is freed here.
    guard let resolved = unsafe realpath(path, nil) else { throw .current }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
