internal import FootageBase
internal import FootageSystem

/// An empty file that an operator puts on the recordings' disk, so that a robot makes room on that one alone, and not on
/// what is there in its place while it is unmounted. A server never makes it.
package enum DiskMarker {
  package static let name = ".footage-disk"

  /// Puts it there, durably; that it is there already is fine. Blocks.
  ///
  /// - Returns: its path.
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

  /// Whether it is there; a link is none. Blocks.
  static func isThere(_ place: LibraryPaths) -> Bool {
    (try? place.status(of: RelativePath(name)))?.kind == .regular
  }
}
