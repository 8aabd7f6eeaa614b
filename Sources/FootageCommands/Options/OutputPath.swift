internal import FootageCore
internal import FootageBase
internal import FootageSystem

/// The path to which a command writes a recording: `-o FILE`, or `-o DIR`.
enum OutputPath {
  /// Returns the file that is named for a single recording, or else a path below a folder, which is created.
  ///
  /// - Parameters:
  ///   - output: the value of the option; nil for the current folder.
  ///   - isOnly: true if no other recording is requested, so that the output may be a file.
  /// - Returns: nil if the name would lead out of the folder.
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

  /// Returns true if standard output is meant, so that another program reads the recording: `-`, or one of the system's
  /// names for it.
  static func isStandardOutput(_ output: String?) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(output)
  }

  /// - Parameter isOne: true if exactly one recording is requested.
  /// - Throws: a usage error if standard output cannot be used.
  static func expectPipe(isOne: Bool) throws(UsageError) {
    guard isOne else {
      throw UsageError("standard output can take only one recording: name a folder for several (-o DIR)")
    }
    guard !Process.isOutputTerminal else {
      throw UsageError("standard output is a terminal: redirect it to a program or a file, or name a file (-o FILE)")
    }
  }

  /// Copies a file to standard output. Blocks.
  static func writeToStandardOutput(fileAt path: String) throws(StorageError) -> ExitCode {
    let file = try RandomAccessFile(path: path)
    var offset: UInt64 = 0
    while offset < file.length {
      let bytes = try file.bytes(at: offset, count: Int(min(file.length - offset, 1 << 20)))
      guard Terminal.output(bytes) else { return .failed }
      offset += UInt64(bytes.count)
    }
    return .done
  }

  static func words(forBadName name: String) -> String {
    "'\(Terminal.printable(name))' is not a valid file name: choose one with -o FILE"
  }
}
