internal import FootageAPI
internal import FootageBase
internal import FootageSystem

/// The file beside a clip that lists what the clip is made of: `FILE.json` beside `FILE.mp4`.
///
/// The command line names only the clip, so nothing but a file of this kind may be replaced.
struct ClipDocumentFile {
  let path: String

  /// The size of the longest file that is examined, in bytes. No document for two hours is this long.
  private static let longest: UInt64 = 64 << 20

  /// - Parameter clip: the path of the clip.
  init(besideClip clip: String) {
    let ending = ".mp4"
    let base = clip.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) ? String(clip.dropLast(4)) : clip
    path = "\(base).json"
  }

  /// - Throws: `StorageError`, with `.wrongKind` if the existing file of this name does not describe a clip.
  func expectReplaceable() throws(StorageError) {
    try FileTree.expectReplaceable(path)
    let file: RandomAccessFile
    do throws(StorageError) { file = try RandomAccessFile(path: path) } catch {
      guard error.reason == .system(.notFound) else { throw error }
      return
    }
    guard file.length <= Self.longest,
      let document = JSONValue(try file.bytes(at: 0, count: Int(file.length))), CameraTimeline(document) != nil
    else {
      throw StorageError(
        "replace", path,
        .wrongKind(
          "a file that does not describe a clip: move it away, or name the clip differently with -o"))
    }
  }

  /// Writes the document completely or not at all.
  func write(_ document: [UInt8]) throws(StorageError) {
    let file = try TemporaryFile(in: FileTree.folder(of: path))
    try file.write(document)
    try file.sync()
    // Making the clip may have taken long.
    try expectReplaceable()
    try file.rename(replacing: path)
    try FileTree.sync(folder: FileTree.folder(of: path))
  }
}
