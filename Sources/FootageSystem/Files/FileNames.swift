#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// Verbs on the names of files and folders, each a system call. All may block.
package enum FileNames {
  /// Gives a file another name in place of what has it. Calls `rename`.
  package static func rename(_ path: String, replacing target: String) throws(Errno) {
    guard unsafe SystemCalls.rename(path, target) == 0 else { throw .current }
  }

  /// Gives a file another name unless something has it. Calls `renameat2`, or `renamex_np`.
  ///
  /// - Throws: `.alreadyExists` where the name is taken; `.invalidArgument` or `.notImplemented` where the kernel or
  ///   the file system cannot do that.
  package static func rename(_ path: String, to target: String) throws(Errno) {
    guard unsafe SystemCalls.renameWithoutReplacing(path, target) == 0 else { throw .current }
  }

  /// Gives a file a second name. Calls `link`.
  ///
  /// - Throws: `.alreadyExists` where the name is taken.
  package static func link(_ path: String, as target: String) throws(Errno) {
    guard unsafe SystemCalls.link(path, target) == 0 else { throw .current }
  }

  /// Removes a file's name; that it is gone already is fine. Calls `unlink`.
  package static func remove(_ path: String) throws(Errno) {
    guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .current }
  }

  /// Removes a folder in which nothing is; that it is gone already is fine. Calls `rmdir`.
  package static func removeFolder(_ path: String) throws(Errno) {
    guard unsafe rmdir(path) == 0 || errno == ENOENT else { throw .current }
  }

  /// Calls `mkdir`.
  package static func createFolder(_ path: String, mode: UInt32) throws(Errno) {
    guard unsafe mkdir(path, mode_t(mode)) == 0 else { throw .current }
  }

  /// Makes a folder whose name begins with `prefix` and ends with six characters of the system's choice, readable by
  /// its owner alone. Calls `mkdtemp`.
  ///
  /// - Returns: its path.
  package static func createTemporaryFolder(_ prefix: String) throws(Errno) -> String {
    var template = Array("\(prefix)XXXXXX".utf8CString)
    // Safe because the template ends with a zero, and `mkdtemp` changes its last six characters alone.
    let isMade = unsafe template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress else { return false }
      return unsafe mkdtemp(start) != nil
    }
    guard isMade else { throw .current }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The absolute path without links, `.` and `..`. Calls `realpath`.
  package static func canonical(_ path: String) throws(Errno) -> String {
    // Safe because `realpath` gives a string of its own, ended by a zero, which is freed here.
    guard let resolved = unsafe realpath(path, nil) else { throw .current }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
