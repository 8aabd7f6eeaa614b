/// `footage fetch`: brings recordings from a robot, and takes up what was broken off.

internal import FootageClient
internal import Formats
internal import Storage

enum FetchCommand: Command {
  static let usage = Usage(
    "fetch", "Fetches recordings from a robot into files; what was broken off goes on where it was.",
    operands: "[NAME…]",
    options: RobotAccess.options + [
      .value("output", "FILE|DIR", "Also -o. A file for one recording, a folder for several [.]."),
      .flag("all", "Every recording that is ready."),
    ] + FilterOptions.options,
    details: """
      Standard output gets the path of each file that is whole. A file appears under its name when it is whole, in place
      of what had it; until then it is FILE.part, with FILE.part.map beside it. Into a folder, NAME goes to NAME.mp4.
      What is there already, whole and of the robot's version, is not fetched again.

      \(FilterOptions.details)
      """)

  /// What is to be fetched.
  private enum Wanted: Sendable {
    case names([String])
    case all(FilterOptions)
  }

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    let wanted = try wanted(arguments)
    let output = arguments["output"]
    return Background.run {
      do throws(CommandFailure) {
        let access = try await RobotAccess(arguments)
        return await fetch(try await names(wanted, access), wanted, output, access)
      } catch {
        return error.saidLate(by: usage)
      }
    }
  }

  private static func wanted(_ arguments: ParsedArguments) throws(UsageError) -> Wanted {
    let filter = try FilterOptions(arguments)
    guard arguments.operands.isEmpty || (filter.isEmpty && !arguments.flag("all")) else {
      throw UsageError("either name recordings, or ask for --all, --camera, --since or --until")
    }
    if !arguments.operands.isEmpty { return .names(arguments.operands) }
    guard arguments.flag("all") || !filter.isEmpty else {
      throw UsageError("name the recordings, or ask for --all, --camera, --since or --until")
    }
    return .all(filter)
  }

  private static func names(_ wanted: Wanted, _ access: RobotAccess) async throws(CommandFailure) -> [String] {
    switch wanted {
    case .names(let names): return names
    case .all(let filter):
      let bounds = try await filter.bounds(of: access)
      if let words = bounds.words { Terminal.error("\(words)\n") }
      var names: [String] = []
      do throws(RobotError) {
        for try await recording in access.robot.recordings(
          camera: filter.camera, since: bounds.since.map(UnixTime.init), until: bounds.until.map(UnixTime.init),
          state: .ready)
        {
          names.append(recording.name)
        }
      } catch { throw .failed(error == .cancelled ? "stopped" : access.words(for: error)) }
      return names
    }
  }

  private static func fetch(
    _ names: [String], _ wanted: Wanted, _ output: String?, _ access: RobotAccess
  ) async -> ExitCode {
    var exitCode = ExitCode.done
    if names.isEmpty { Terminal.error("there is nothing to fetch\n") }
    for (index, name) in names.enumerated() {
      let path: String
      do throws(StorageError) {
        guard let found = try Self.path(for: name, wanted, output) else {
          exitCode = Terminal.failed(
            "'\(Terminal.printable(name))' is no name for a file: give it one with -o FILE")
          continue
        }
        path = found
      } catch { return Terminal.failed(error) }
      let report = ProgressReport(name, place: (index + 1, names.count))
      if let error = await fetch(name, to: path, access, report) {
        exitCode = .failed
        // The next one would fail likewise.
        switch error {
        case .trust, .identity, .notAllowed, .unreachable, .system, .cancelled: return exitCode
        default: continue
        }
      }
    }
    return exitCode
  }

  /// Fetches one of them, and says what came of it.
  private static func fetch(
    _ name: String, to path: String, _ access: RobotAccess, _ report: ProgressReport
  ) async -> RobotError? {
    let shown = Terminal.printable(name)
    do throws(RobotError) {
      let fetched = try await access.robot.download(name, to: path) { report.show($0) }
      report.end(keeping: !fetched.wasThere)
      if fetched.wasThere { Terminal.error("\(shown) is there already, and the robot has no other version\n") }
      Terminal.output("\(path)\n")
      return nil
    } catch {
      report.end()
      let isKept = report.hasReceived && FileTree.exists("\(path).part.map")
      let hint =
        "what has come of \(shown) is in \(path).part\(error.isWorthResuming ? "; the same command goes on from there" : "")"
      if error == .cancelled {
        _ = Terminal.failed("stopped: \(isKept ? hint : "nothing has come of \(shown) yet")")
      } else {
        _ = Terminal.failed(access.words(for: error))
        if isKept { Terminal.error("\(Terminal.printable(hint))\n") }
      }
      return error
    }
  }

  /// A file of its own for one recording, else a place below the folder, which is made.
  private static func path(
    for name: String, _ wanted: Wanted, _ output: String?
  ) throws(StorageError) -> String? {
    if case .names(let names) = wanted, names.count == 1, let output, output.utf8.last != UInt8(ascii: "/") {
      let status = try? FileStatus.of(output, followingLinks: true)
      if status?.kind != .folder { return output }
    }
    guard let relative = LocalPath.relative(for: name) else { return nil }
    if let output, let status = try? FileStatus.of(output, followingLinks: true), status.kind != .folder {
      throw StorageError("put recordings into", output, .wrongKind("not a folder"))
    }
    var folder = output ?? "."
    while folder.utf8.last == UInt8(ascii: "/"), folder.utf8.count > 1 { folder.removeLast() }
    let path = folder == "." ? relative : "\(folder)/\(relative)"
    try FileTree.createFolders(FileTree.folder(of: path), mode: 0o777)
    return path
  }
}

extension RobotError {
  /// Whether the same command may well bring the rest, once a person has seen to what is wrong.
  fileprivate var isWorthResuming: Bool {
    switch self {
    case .unreachable, .unavailable, .trust, .identity, .notAllowed, .file, .system, .cancelled: true
    default: false
    }
  }
}
