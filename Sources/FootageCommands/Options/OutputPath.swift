internal import FootageCore
internal import FootageBase
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

  /// True if standard output is meant, so that another program reads the recording: `-`, or what the system calls it.
  static func isStandardOutput(_ output: String?) -> Bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(output)
  }

  /// - Parameter isOne: whether one recording alone is wanted.
  /// - Throws: where standard output cannot be meant.
  static func expectPipe(isOne: Bool) throws(UsageError) {
    guard isOne else { throw UsageError("standard output takes one recording: name a folder for several (-o DIR)") }
    guard !Process.isOutputTerminal else {
      throw UsageError("standard output is a terminal: lead it into a program or a file, or name a file (-o FILE)")
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
    "'\(Terminal.printable(name))' is no name for a file: give it one with -o FILE"
  }
}
