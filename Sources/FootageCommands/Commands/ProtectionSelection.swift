internal import FootageBase
internal import FootageLibrary

/// The recordings that `keep` and `release` act on: given by their names, or by a camera and a period.
struct ProtectionSelection {
  enum Target {
    case name(String)
    /// The recordings of a camera in a period. The camera is nil for the recordings without a camera.
    case time(camera: String?, from: UnixTimestamp, to: UnixTimestamp)
  }

  static let libraryOptions: [Usage.Option] =
    [
      .value("recordings", "DIR", default: "recordings", "The folder that is served."),
      StateOption.folder,
    ] + NamingOptions.options

  static let options: [Usage.Option] =
    libraryOptions + [
      .value("camera", "NAME", "The camera whose recordings are selected, instead of names."),
      .value("from", "TIME", "When the time begins: \(SpokenTime.examples)."),
      .value("to", "TIME", "When the time ends, in the same forms; a date includes its whole day."),
      .value("zone", "ZONE", default: "local", "The time zone of the times: local, robot, UTC, or AREA/CITY."),
    ]

  static let timeDetails = """
    Times without a zone are in --zone, which is this machine's zone by default. A time without a day means its latest
    occurrence; given to --to, the first one after --from. In the hour that occurs twice when clocks are set back,
    --from means the first of the two, and --to the second.
    """

  private let arguments: ParsedArguments
  private let filter: FilterOptions

  init(_ arguments: ParsedArguments) throws(UsageError) {
    self.arguments = arguments
    filter = try FilterOptions(arguments, names: ("from", "to"))
    let byTime = ["camera", "from", "to"].filter { arguments.isGiven($0) }
    if arguments.operands.isEmpty {
      guard byTime.count == 3 else {
        throw UsageError("name recordings, as footage list shows them, or give all of --camera, --from and --to")
      }
    } else if let option = byTime.first {
      throw UsageError("give either names or --\(option), not both")
    }
  }

  static func library(_ arguments: ParsedArguments, _ naming: RecordingNaming) throws(LibraryError) -> RecordingLibrary
  {
    try .besideServer(arguments, state: arguments["state-dir"], naming: naming)
  }

  /// Applies the action to each target, and prints the names of the recordings that were changed, one per line.
  ///
  /// - Parameter action: returns the names of the changed recordings.
  func run(
    _ action: (RecordingLibrary, Target) throws(ProtectionError) -> [String]
  ) throws(UsageError) -> ExitCode {
    let library: RecordingLibrary
    let naming = try NamingOptions.naming(arguments)
    do throws(LibraryError) { library = try Self.library(arguments, naming) } catch { return Terminal.failed(error) }
    let targets: [Target]
    do throws(CommandFailure) { targets = try self.targets(now: library.now, robot: naming.zone) } catch {
      return try error.exitCode()
    }
    library.refresh()
    var exitCode = ExitCode.done
    for target in targets {
      do throws(ProtectionError) {
        show(try action(library, target))
      } catch {
        if case .incomplete(let done, _) = error { show(done) }
        exitCode = Terminal.failed(error)
      }
    }
    return exitCode
  }

  private func show(_ names: [String]) { Terminal.output(names.map { "\($0)\n" }.joined()) }

  private func targets(now: UnixTimestamp, robot: TimeZoneRules) throws(CommandFailure) -> [Target] {
    guard arguments.operands.isEmpty else { return arguments.operands.map(Target.name) }
    let bounds = try filter.bounds(now: now, robot: robot)
    if let words = bounds.words { Terminal.error("\(words)\n") }
    guard let from = bounds.since, let to = bounds.until else { return [] }
    let camera = filter.camera.flatMap { $0.isEmpty ? nil : $0 }
    return [.time(camera: camera, from: from, to: to)]
  }
}
