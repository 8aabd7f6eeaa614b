internal import FootageBase
internal import FootageSystem

/// An empty file with which an operator marks the recordings' disk. A robot makes room only on a marked disk. It
/// therefore deletes nothing in the folder that is visible at the mount point while the disk is unmounted. A server
/// never creates this file.
package enum DiskMarker {
  package static let name = ".footage-disk"

  /// Creates the marker, durably; an existing one is not an error. Blocks.
  ///
  /// - Returns: the path of the marker.
  /// - Throws: `LibraryError`: `.folder`, `.storage`.
  package static func put(on recordings: String) throws(LibraryError) -> String {
    let folder = try mapError(LibraryError.folder, try FileTree.canonical(recordings))
    let path = "\(folder)/\(name)"
    do throws(StorageError) {
      _ = try WritableFile(path: path, .new, mode: 0o644)
      try FileTree.sync(folder: folder)
    } catch {
      guard error.reason == .system(.alreadyExists) else { throw .storage(error) }
    }
    return path
  }

  /// Returns whether the marker exists; a symbolic link does not count. Blocks.
  static func isThere(_ place: LibraryPaths) -> Bool {
    (try? place.status(of: RelativePath(name)))?.kind == .regular
  }
}
