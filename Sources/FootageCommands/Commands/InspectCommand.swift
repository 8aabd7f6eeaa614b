internal import FootageLibrary
internal import FootageSystem

/// The command `footage inspect`, which shows what is inside a file, and what ingest would make of it.
enum InspectCommand: Command {
  static let usage = Usage(
    "inspect", "Shows what is inside a file, what is wrong with it, what hinders films, and what ingest would do.",
    operands: "FILE",
    options: [
      .flag("json", "For programs; with --frames, an object a line."),
      .attachedValue("frames", "key", "Lists the samples instead; with =key, the key frames of pictures alone."),
    ],
    details: """
      Of each track it shows how it is coded, by its parameter sets; the bit rate, in the mean and in the second that has
      most; and of pictures how long the groups from key frame to key frame (GOPs) are, whether they are open, and how far
      pictures are decoded ahead of those that are shown before them (B-frames). What hinders films (HLS) follows, with
      what helps, and then the boxes of the file.

      --frames lists each sample of what would be served, track after track, in decoding order: track, number, type (I, P
      or B, of the first slice, where H.264 or HEVC tell it), whether it is a key frame, when it is decoded (dts) and shown
      (pts) in seconds, where it lies in the file, and its size in bytes. Times are those of the presentation, as the edit
      list says: what is decoded before it begins is below 0. In JSON the exact ticks stand beside them.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let path = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("name one file")
    }
    if let which = arguments["frames"], which != "key" {
      throw UsageError("--frames lists all samples, and --frames=key the key frames; '\(which)' is neither")
    }
    let isJSON = arguments.flag("json")
    do throws(LibraryError) {
      let file: RandomAccessFile
      do throws(StorageError) {
        file = try RandomAccessFile(path: path, followingLinks: true)
      } catch { throw LibraryError.storage(error) }
      if arguments.isGiven("frames") {
        return try list(file, asJSON: isJSON, keysOnly: arguments["frames"] != nil)
      }
      let shown = try ChildFileIndexer().inspection(of: file, asJSON: isJSON)
      Terminal.output(String(decoding: shown, as: UTF8.self) + (isJSON ? "\n" : ""))
      return .done
    } catch {
      return Terminal.failed(error)
    }
  }

  private static func list(
    _ file: RandomAccessFile, asJSON: Bool, keysOnly: Bool
  ) throws(LibraryError) -> ExitCode {
    var failure: Errno?
    try ChildFileIndexer().listSamples(of: file, asJSON: asJSON, keysOnly: keysOnly) { lines in
      failure = StandardOutput.write(lines)
      return failure == nil
    }
    switch failure {
    case nil: return .done
    // The reader has closed the pipe because it has seen enough.
    case .brokenPipe?: return .failed
    case let failure?: return Terminal.failed("cannot write the list: \(failure)")
    }
  }
}
