internal import FootageCore
internal import Storage
internal import FootageSystem

/// Where a recording goes that a command writes to: `-o FILE`, or `-o DIR`.
enum OutputPath {
  /// A file of its own for one recording, else a place below a folder, which is made.
  ///
  /// - Parameters:
  ///   - output: what was asked for; nil for here.
  ///   - isOnly: whether no other recording is wanted, so that a file may be meant.
  /// - Returns: nil where the name would lead out of the folder.
  static func path(for name: String, _ output: String?, isOnly: Bool) throws(StorageError) -> String? {
    let status = output.flatMap { try? FileStatus.of($0, followingLinks: true) }
    if isOnly, let output, output.utf8.last != UInt8(ascii: "/"), status?.kind != .folder { return output }
    guard let relative = LocalPath.relative(for: name) else { return nil }
    if let output, let status, status.kind != .folder {
      throw StorageError("put recordings into", output, .wrongKind("not a folder"))
    }
    var folder = output ?? "."
    while folder.utf8.last == UInt8(ascii: "/"), folder.utf8.count > 1 { folder.removeLast() }
    let path = folder == "." ? relative : "\(folder)/\(relative)"
    try FileTree.createFolders(FileTree.folder(of: path), mode: 0o777)
    return path
  }

  static func words(forBadName name: String) -> String {
    "'\(Terminal.printable(name))' is no name for a file: give it one with -o FILE"
  }
}
