internal import FootageAPI
internal import FootageCore
internal import FootageServer
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The command `footage list`, which shows the recordings of a folder or of a robot, as a table or as JSON.
enum ListCommand: Command {
  static let usage = Usage(
    "list", "Lists the recordings of a folder, or of a robot, newest first.",
    options: [
      .value("recordings", "DIR", default: "recordings", "The folder that is served."),
      StateOption.state, StateOption.catalog,
      .flag("cameras", "Lists cameras, with a summary of each, instead of recordings."),
      .flag("json", "Prints JSON, as GET /recordings or GET /cameras returns it."),
    ] + FilterOptions.options + NamingOptions.options + RobotAccess.options,
    details: """
      With --robot, the robot's recordings are listed; HOST:PORT may be left out if only one robot is paired. Otherwise
      the folder's are listed; or if no folder is given and there is no folder 'recordings' here, those of the only
      paired robot.

      If a server on this machine serves the folder, that server is asked (over its socket, as footage status does). If
      none answers, the files are examined, and a catalog of them is kept in the user's cache. Nothing is written to the
      recordings folder.

      \(FilterOptions.details)
      """, isBesideService: true)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    let filter = try FilterOptions(arguments)
    let state = try StateOption(arguments)
    let listsCameras = arguments.flag("cameras")
    if listsCameras {
      try CameraListing.expectNoFilter(arguments)
      guard state.filter == nil else { throw UsageError("--cameras cannot be combined with --state") }
    }
    if RobotAccess.isMeant(arguments) { return try listRobot(arguments, filter, state.filter) }
    let naming = try NamingOptions.naming(arguments)
    do throws(CommandFailure) {
      if let folder = StatusClient.ServedFolder.find(arguments, state),
        let exitCode = try listServed(folder, arguments, filter, state, naming)
      {
        return exitCode
      }
      return try listFolder(arguments, filter, state, naming)
    } catch { return try error.exitCode() }
  }

  /// Lists the recordings of a server on this machine.
  ///
  /// - Returns: nil if the server does not list all of them.
  private static func listServed(
    _ folder: StatusClient.ServedFolder, _ arguments: ParsedArguments, _ filter: FilterOptions, _ state: StateOption,
    _ naming: RecordingNaming
  ) throws(CommandFailure) -> ExitCode? {
    let now = UnixTimestamp(nanoseconds: Clock.system.unixNanoseconds)
    let bounds = try filter.bounds(now: now, robot: folder.zoneRules(otherwise: naming.zone))
    if arguments.flag("cameras") {
      guard let cameras = StatusClient.cameras(in: folder) else { return nil }
      CameraListing.print(cameras, asJSON: arguments.flag("json"), robotZone: folder.zone, in: bounds.zone)
      return .done
    }
    guard let items = StatusClient.recordings(filter.query(bounds, state: state.filter), in: folder) else { return nil }
    if items.isEmpty, filter.camera != nil {
      guard let cameras = StatusClient.cameras(in: folder) else { return nil }
      try CameraChoice.expect(filter.camera, among: cameras.map(\.name), "")
    }
    if arguments.flag("json") {
      printJSON(items, zone: folder.zone)
    } else {
      printTable(items.map(RecordingTable.Row.init), bounds)
      if filter.isEmpty, state.filter == nil, let forecast = folder.forecast { Terminal.error("\(forecast)\n") }
    }
    return .done
  }

  /// Lists the recordings in the folder.
  private static func listFolder(
    _ arguments: ParsedArguments, _ filter: FilterOptions, _ state: StateOption, _ naming: RecordingNaming
  ) throws(CommandFailure) -> ExitCode {
    let library = try RecordingLibrary.reading(arguments, state: state, naming: naming)
    let now = library.now
    let bounds = try filter.bounds(now: now, robot: naming.zone)
    library.refresh()
    if arguments.flag("cameras") {
      CameraListing.print(
        library.snapshot.cameras, asJSON: arguments.flag("json"), robotZone: naming.zone.name, in: bounds.zone)
      return .done
    }
    let recordings = library.snapshot.recordings(of: filter.query(bounds, state: state.filter))
    if recordings.isEmpty {
      try CameraChoice.expect(filter.camera, among: library.snapshot.cameras.map(\.name), "")
    }
    if arguments.flag("json") {
      printJSON(recordings.lazy.map { $0.item(at: now) }, zone: naming.zone.name)
    } else {
      printTable(recordings.map { RecordingTable.Row($0, now: now) }, bounds)
      if filter.isEmpty, state.filter == nil, let forecast = library.forecast() {
        Terminal.error("\(forecast.sentence)\n")
      }
    }
    return .done
  }

  private static func listRobot(
    _ arguments: ParsedArguments, _ filter: FilterOptions, _ state: ListQuery.StateFilter?
  ) throws(UsageError) -> ExitCode {
    let (asJSON, listsCameras) = (arguments.flag("json"), arguments.flag("cameras"))
    return AsyncMain.run {
      do throws(CommandFailure) {
        let access = try await RobotAccess(arguments)
        let bounds = try await filter.bounds(of: access)
        if listsCameras { return try await listCameras(of: access, asJSON: asJSON, bounds) }
        var recordings: [RobotRecording] = []
        var zone: String?
        do throws(RobotError) {
          for try await recording in access.robot.recordings(of: filter.query(bounds, state: state)) {
            recordings.append(recording)
          }
          if asJSON { zone = try await access.robot.zoneName() }
        } catch { throw .failed(access.words(for: error)) }
        if recordings.isEmpty { try await CameraChoice.expect(filter.camera, on: access) }
        if asJSON {
          printJSON(recordings.lazy.map(\.item), zone: zone)
        } else {
          printTable(recordings.map(RecordingTable.Row.init), bounds)
        }
        return .done
      } catch {
        return error.saidLate(by: usage)
      }
    }
  }

  private static func listCameras(
    of access: RobotAccess, asJSON: Bool, _ bounds: FilterOptions.Bounds
  ) async throws(CommandFailure) -> ExitCode {
    do throws(RobotError) {
      let cameras = try await access.robot.cameras().map(\.item)
      let zone = asJSON ? try await access.robot.zoneName() : nil
      CameraListing.print(cameras, asJSON: asJSON, robotZone: zone, in: bounds.zone)
      return .done
    } catch { throw .failed(access.words(for: error)) }
  }

  /// Prints a list as one page.
  ///
  /// - Parameter zone: the robot's time zone; nil if the robot does not name it.
  private static func printJSON(_ items: some Sequence<RecordingItem>, zone: String?) {
    let header = ListHeader(robot: zone.map { RobotDescription(zone: $0) }, may: nil)
    var json = JSONWriter()
    RecordingList.write(header, items, next: nil, into: &json)
    Terminal.output(json.text + "\n")
  }

  private static func printTable(_ rows: [RecordingTable.Row], _ bounds: FilterOptions.Bounds) {
    if let words = bounds.words { Terminal.error("\(words)\n") }
    Terminal.output(RecordingTable.text(rows, in: bounds.zone, columns: Terminal.outputColumns))
  }
}
