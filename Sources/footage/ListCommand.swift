/// `footage list`: the recordings of a folder or of a robot, as a table or as JSON.

internal import FootageClient
internal import Formats
internal import RecordingLibrary
internal import Storage

enum ListCommand: Command {
  static let usage = Usage(
    "list", "Lists the recordings of a folder, or of a robot, newest first.",
    options: [
      .value("recordings", "DIR", default: "recordings", "The folder that is served."),
      .value("state", "DIR", "Where the catalog lives [DIR/.footage among the recordings]."),
      .flag("json", "JSON, as GET /recordings gives it."),
    ] + NamingOptions.options + RobotAccess.options,
    details: """
      What is listed is the robot, where --robot names one; else the folder; and where there is no folder
      'recordings' here and none was given, the only robot that was paired.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    try arguments.expectNoOperands()
    if isAboutRobot(arguments) { return try listRobot(arguments) }
    let naming = try NamingOptions.naming(arguments)
    do throws(LibraryError) {
      let library = try RecordingLibrary(
        recordings: arguments["recordings"] ?? "", state: arguments["state"], role: .command, naming: naming,
        log: LibraryWords.print)
      library.refresh()
      let (recordings, now) = (library.snapshot.recordings, library.now)
      if arguments.flag("json") {
        var json = JSONWriter()
        json.object { json in
          json.member("robot") { json in
            json.object { json in json.member("zone", naming.zone.name) }
          }
          json.member("recordings") { json in
            json.array(recordings) { json, recording in recording.writeJSON(into: &json, now: now) }
          }
          json.member("next", String?.none)
        }
        Terminal.output(json.text + "\n")
      } else {
        Terminal.output(RecordingTable.text(recordings.map(RecordingTable.Row.init)))
      }
      return .done
    } catch {
      return Terminal.failed(error)
    }
  }

  private static func isAboutRobot(_ arguments: ParsedArguments) -> Bool {
    if arguments["robot"] != nil || arguments["pin"] != nil { return true }
    guard !arguments.isGiven("recordings"), let folder = arguments["recordings"] else { return false }
    return !FileTree.exists(folder) && RobotAccess.isAnyPaired
  }

  private static func listRobot(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    let access: RobotAccess
    do throws(CommandFailure) { access = try RobotAccess(arguments) } catch { return try error.exitCode() }
    let asJSON = arguments.flag("json")
    return Background.run {
      do throws(RobotError) {
        var recordings: [RobotRecording] = []
        for try await recording in access.robot.recordings() { recordings.append(recording) }
        if asJSON {
          var json = JSONWriter()
          json.object { json in
            json.member("recordings") { json in
              json.array(recordings) { json, recording in recording.writeJSON(into: &json) }
            }
            json.member("next", String?.none)
          }
          Terminal.output(json.text + "\n")
        } else {
          Terminal.output(RecordingTable.text(recordings.map(RecordingTable.Row.init)))
        }
        return .done
      } catch {
        return Terminal.failed(access.words(for: error))
      }
    }
  }
}
