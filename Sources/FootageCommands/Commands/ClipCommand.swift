internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The command `footage clip`, which saves the footage of a camera in a period as one file.
enum ClipCommand: Command {
  static let usage = Usage(
    "clip", "Saves what a camera recorded over a time as one MP4, even across several recordings.",
    options: [
      .value("camera", "NAME", "The camera; footage list --cameras shows all of them."),
      .flag("all-cameras", "Saves a clip of every camera that recorded then, into one folder."),
      .value("from", "TIME", "When the clip begins: \(SpokenTime.examples)."),
      .value("to", "TIME", "When the clip ends, in the same forms [now]."),
      .value("zone", "ZONE", default: "local", "The time zone of the times: local, robot, UTC, or AREA/CITY."),
      .value(
        "output", "FILE|DIR|-", letter: "o",
        "The file or folder to write [a file here, named after robot, camera and time]; - is standard output."),
      .value("recordings", "DIR", default: "recordings", "The folder that is served."),
      StateOption.folder,
      .value("robot-name", "NAME", "With a folder: the name of this robot [the machine's name]."),
    ] + NamingOptions.options + RobotAccess.options,
    details: """
      Standard output gets the path of each complete clip. FILE.json is written beside FILE.mp4: it lists the robot and
      the camera, the first and the last picture, the recordings that the clip is made of, and the gaps between them. A
      clip is exact to the picture, and at most two hours long. Interrupted downloads are resumed. With -o -, a clip of
      one camera goes to standard output when it is complete, and no FILE.json is written.

      With --robot, the clip comes from the robot; HOST:PORT may be left out if only one robot is paired. Otherwise it
      comes from the folder, without recordings that are still being written; or if no folder is given and there is no
      folder 'recordings' here, from the only paired robot.
      """, isBesideService: true)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let camera = arguments["camera"]
    let includesAllCameras = arguments.flag("all-cameras")
    guard (camera == nil) == includesAllCameras else {
      throw UsageError("give either --camera NAME or --all-cameras")
    }
    let times = try FilterOptions(arguments, names: ("from", "to"))
    guard arguments["from"] != nil else { throw UsageError("--from TIME is required") }
    if OutputPath.isStandardOutput(arguments["output"]) { try OutputPath.expectPipe(isOne: !includesAllCameras) }
    if RobotAccess.isMeant(arguments) {
      return AsyncMain.run {
        do throws(CommandFailure) {
          let access = try await RobotAccess(arguments)
          let bounds = try await times.bounds(of: access)
          return await save(camera, bounds, arguments["output"], by: RobotClips(access: access))
        } catch {
          return error.saidLate(by: usage)
        }
      }
    }
    let naming = try NamingOptions.naming(arguments)
    let library: RecordingLibrary
    do throws(CommandFailure) {
      library = try .reading(arguments, state: StateOption(ofFolder: arguments), naming: naming)
    } catch { return try error.exitCode() }
    let bounds: FilterOptions.Bounds
    do throws(CommandFailure) { bounds = try times.bounds(now: library.now, robot: naming.zone) } catch {
      return try error.exitCode()
    }
    library.refresh()
    let clips = FolderClips(library: library, robot: arguments["robot-name"])
    return AsyncMain.run { await save(camera, bounds, arguments["output"], by: clips) }
  }

  /// - Parameter camera: nil for all cameras.
  private static func save(
    _ camera: String?, _ bounds: FilterOptions.Bounds, _ output: String?, by maker: some ClipMaker
  ) async -> ExitCode {
    if let words = bounds.words { Terminal.error("\(words)\n") }
    guard let from = bounds.since else { return .failed }
    let to = bounds.until ?? UnixTimestamp(nanoseconds: Clock.system.unixNanoseconds)
    guard from < to else { return Terminal.failed("--from is in the future: give an earlier time") }
    do throws(ClipFailure) {
      guard let camera else { return try await saveAll(from..<to, bounds.zone, output, by: maker) }
      // An empty name means the recordings without a camera.
      let clip = try await Clip(camera.isEmpty ? nil : camera, from..<to, by: maker)
      if OutputPath.isStandardOutput(output) {
        return try await write(clip, ProgressReport(camera, place: (1, 1)), by: maker)
      }
      let path = try path(of: clip, bounds.zone, output)
      try await save(clip, to: path, ProgressReport(camera, place: (1, 1)), by: maker)
      return .done
    } catch {
      return said(error)
    }
  }

  private static func said(_ failure: ClipFailure) -> ExitCode {
    switch failure {
    case .noFootage(let words), .failed(let words, _): Terminal.failed(words)
    }
  }

  private static func saveAll(
    _ range: Range<UnixTimestamp>, _ zone: TimeZoneRules, _ output: String?, by maker: some ClipMaker
  ) async throws(ClipFailure) -> ExitCode {
    let cameras = try await maker.cameras()
    var exitCode = ExitCode.done
    var savedCount = 0
    for (index, camera) in cameras.enumerated() {
      do throws(ClipFailure) {
        let clip = try await Clip(camera, range, by: maker)
        var folder = output ?? ClipName.text(robot: clip.robot, camera: nil, from: range.lowerBound, zone)
        while folder.utf8.last == UInt8(ascii: "/"), folder.utf8.count > 1 { folder.removeLast() }
        guard let name = LocalPath.relative(for: camera ?? "no camera") else {
          throw .failed("'\(camera ?? "")' is not a valid file name: save it with --camera and -o FILE", isOver: false)
        }
        let path = "\(folder)/\(name)"
        do throws(StorageError) { try FileTree.createFolders(folder, mode: 0o777) } catch {
          throw .failed(error.description, isOver: true)
        }
        try await save(
          clip, to: path, ProgressReport(camera ?? "no camera", place: (index + 1, cameras.count)), by: maker)
        savedCount += 1
      } catch {
        switch error {
        case .noFootage(let words): Terminal.error("\(Terminal.printable(words))\n")
        case .failed(let words, let isOver):
          exitCode = Terminal.failed(words)
          if isOver { return exitCode }
        }
      }
    }
    return savedCount > 0 ? exitCode : Terminal.failed("no camera recorded anything at that time")
  }

  /// The camera and the time range of a clip.
  private struct Clip {
    let camera: String?
    let range: Range<UnixTimestamp>
    /// The name of the robot; nil if the server runs an earlier version of Footage, which does not send it.
    let robot: String?
    let document: [UInt8]

    init(_ camera: String?, _ wanted: Range<UnixTimestamp>, by maker: some ClipMaker) async throws(ClipFailure) {
      self.camera = camera
      document = try await maker.document(of: camera, wanted)
      guard let timeline = JSONValue(document).flatMap({ CameraTimeline($0) }) else {
        throw .failed("the robot's description of that time is not valid", isOver: false)
      }
      robot = timeline.header.robot?.name
      // A time that is ahead of the robot's clock has no length yet.
      let end = timeline.spans.last.map { min($0.to, wanted.upperBound) } ?? wanted.upperBound
      range = wanted.lowerBound..<max(end, wanted.lowerBound.advanced(byMilliseconds: 1))
    }
  }

  /// Returns the path for a clip: the named file, or a file with a descriptive name in the named folder, or in the
  /// current folder if none is named.
  private static func path(
    of clip: Clip, _ zone: TimeZoneRules, _ output: String?
  ) throws(ClipFailure) -> String {
    let status = output.flatMap { try? FileStatus.of($0, followingLinks: true) }
    if let output, output.utf8.last != UInt8(ascii: "/"), status?.kind != .folder { return output }
    let text = ClipName.text(robot: clip.robot, camera: clip.camera, from: clip.range.lowerBound, zone)
    let path: String?
    do throws(StorageError) { path = try OutputPath.path(for: text, output, isOnly: false) } catch {
      throw .failed(error.description, isOver: false)
    }
    guard let path else { throw .failed(OutputPath.words(forBadName: text), isOver: false) }
    return path
  }

  /// Writes a clip to standard output, after it is complete.
  private static func write(
    _ clip: Clip, _ report: ProgressReport, by maker: some ClipMaker
  ) async throws(ClipFailure) -> ExitCode {
    let folder: ScratchFolder
    do throws(StorageError) { folder = try ScratchFolder() } catch { throw .failed(error.description, isOver: true) }
    // The folder is removed when this object is released.
    defer { withExtendedLifetime(folder) {} }
    let path = "\(folder.path)/clip.mp4"
    try await maker.write(clip.camera, clip.range, to: path, report)
    do throws(StorageError) { return try OutputPath.writeToStandardOutput(fileAt: path) } catch {
      throw .failed(error.description, isOver: true)
    }
  }

  private static func save(
    _ clip: Clip, to path: String, _ report: ProgressReport, by maker: some ClipMaker
  ) async throws(ClipFailure) {
    let document = ClipDocumentFile(besideClip: path)
    do throws(StorageError) { try document.expectReplaceable() } catch {
      throw .failed(error.description, isOver: false)
    }
    try await maker.write(clip.camera, clip.range, to: path, report)
    do throws(StorageError) { try document.write(clip.document) } catch {
      throw .failed("\(path) is complete, but its description could not be written beside it: \(error)", isOver: false)
    }
    Terminal.output("\(path)\n")
  }
}
