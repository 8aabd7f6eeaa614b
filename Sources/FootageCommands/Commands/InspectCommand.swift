internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The command `footage inspect`, which shows what is inside a file, and what ingest would make of it.
enum InspectCommand: Command {
  static let usage = Usage(
    "inspect", "Shows what a file contains, what is wrong with it, what hinders films, and what ingest would do.",
    operands: "FILE",
    options: [
      .flag("json", "Prints JSON, for programs; with --frames, one object per line."),
      .value("track", "N", "Judges the film of the video track with this number, as track=N in a URL selects it."),
      .attachedValue("frames", "key", "Lists the samples instead; with =key, only the key frames of video tracks."),
    ],
    details: """
      For each track, it shows how the track is coded, according to its parameter sets, and its bit rate, both on
      average and in the busiest second. For video, it shows how long the groups from key frame to key frame (GOPs) are,
      whether they are open, and how far pictures are decoded ahead of those that are shown before them (B-frames). Then
      it shows what hinders films (HLS), with remedies, and the boxes of the file.

      --frames lists each sample that would be served, track after track, in decoding order: track, number, type (I, P
      or B of the first slice, if H.264 or HEVC shows it), whether it is a key frame, when it is decoded (dts) and
      shown (pts) in seconds, where it is in the file, and its size in bytes. Times are those of the presentation,
      according to the edit list: samples that are decoded before its beginning have times below 0. JSON has the exact
      ticks as well.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let path = arguments.operands.first, arguments.operands.count == 1 else {
      throw UsageError("name one file")
    }
    if let which = arguments["frames"], which != "key" {
      throw UsageError("use --frames for all samples, or --frames=key for key frames, not --frames=\(which)")
    }
    let isJSON = arguments.flag("json")
    var track: Int?
    if let text = arguments["track"] {
      track = VideoTrack.number(text)
      guard track != nil else {
        throw UsageError(
          "--track must be the number of a video track, from \(VideoTrack.numbers.lowerBound) to "
            + "\(VideoTrack.numbers.upperBound), not \(text)")
      }
      if arguments.isGiven("frames") { throw UsageError("--frames lists all tracks: omit --track") }
    }
    do throws(LibraryError) {
      let file: RandomAccessFile
      do throws(StorageError) {
        file = try RandomAccessFile(path: path, followingLinks: true)
      } catch { throw LibraryError.storage(error) }
      if arguments.isGiven("frames") {
        return try list(file, asJSON: isJSON, keysOnly: arguments["frames"] != nil)
      }
      let shown = try ChildFileIndexer().inspection(of: file, asJSON: isJSON, track: track)
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
