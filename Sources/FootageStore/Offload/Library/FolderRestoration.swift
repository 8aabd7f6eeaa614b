internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// A recorder's file that is restored from the store to its folder. It gets its old times, so that it is the same
/// version again.
///
/// Its folder is opened below the recordings folder without following symbolic links, and stays open. Even if a part of
/// the path is replaced by a link meanwhile, the file is written to that folder or not at all.
final class FolderRestoration: Restoration {
  private let library: RecordingLibrary
  private let path: RelativePath
  private let modifiedNanoseconds: Int64
  private let folder: OpenFolder
  private let file: TemporaryFile

  /// The space that stays free beside the file, in bytes.
  private static let spareBytes: UInt64 = 64 << 20

  init(_ library: RecordingLibrary, _ row: OffloadRow, _ manifest: ProvenManifest) throws(OffloadError) {
    self.library = library
    path = row.path
    modifiedNanoseconds = manifest.modifiedNanoseconds
    guard case .recording = RecordingName.of(row.path) else {
      throw .refused("'\(row.path)' is not the path of a recording, so nothing is written there")
    }
    do throws(StorageError) {
      if (try? library.place.status(of: row.path)) != nil {
        throw StorageError("restore", row.path.text, .system(.alreadyExists))
      }
      if let space = try? library.space(), space.freeBytes < row.size.addingClamped(Self.spareBytes) {
        throw StorageError("restore", row.path.text, .system(.noSpaceLeft))
      }
      folder = try library.place.makingFolder(row.path.parent)
      file = try TemporaryFile(in: folder)
    } catch { throw .refused(error.description) }
  }

  func append(_ bytes: [UInt8]) throws(OffloadError) {
    do throws(StorageError) { try file.write(bytes) } catch { throw .file(error.description) }
  }

  func finish() throws(OffloadError) {
    do throws(StorageError) {
      // A file that was protected when it was deleted is protected again before anything sees it.
      try library.markAsBefore(file, at: path)
      try file.setModified(nanoseconds: modifiedNanoseconds)
      try file.sync()
      try file.rename(inFolder: FileTree.name(of: path.text))
      try folder.sync()
      try library.protectByLine(path)
    } catch { throw .file(error.description) }
    library.requestLook(at: path)
  }
}
