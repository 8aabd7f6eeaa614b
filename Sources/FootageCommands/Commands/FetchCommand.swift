internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The command `footage fetch`, which downloads recordings from a robot, and resumes interrupted downloads.
enum FetchCommand: Command {
  static let usage = Usage(
    "fetch", "Fetches recordings from a robot into files, and resumes interrupted downloads.",
    operands: "[NAME…]",
    options: RobotAccess.options + [
      .value(
        "output", "FILE|DIR|-", letter: "o",
        "A file for one recording, a folder for several [.]; - is standard output."),
      .flag("all", "Fetches every recording that is ready."),
      .value("state", "STATE", "Can only be ready: other recordings cannot be fetched [ready]."),
      .value(
        "preload", "TIME", "Fetches the first seconds of each recording (5s, 2m) into the cache, and writes no file."),
      .value("quota", "SIZE", default: "8G", "With --preload: the maximum size of the cache."),
      CacheFolder.option,
    ] + FilterOptions.options,
    details: """
      Standard output gets the path of each complete file. A file gets its name when it is complete, and replaces any
      existing file of that name; until then it is FILE.part, with FILE.part.map beside it. In a folder, NAME becomes
      NAME.mp4. A file that is complete already, in the robot's version, is not fetched again; a recording that is
      complete in the cache is copied from there.

      With -o -, the bytes of one recording go to standard output, for another program, and cannot be resumed later; if
      they break off, the exit status is 1. With --preload, only the cache is written, from which footage play then
      starts at once.

      \(FilterOptions.details)
      """)

  /// The recordings to fetch.
  private enum Wanted: Sendable {
    case names([String])
    case all(FilterOptions)

    /// True if exactly one recording is named. The output may then be a file.
    var isOne: Bool { if case .names(let names) = self { names.count == 1 } else { false } }
  }

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    let wanted = try wanted(arguments)
    let output = arguments["output"]
    if let text = arguments["preload"] {
      let preload = try Preload(text, arguments)
      return AsyncMain.run {
        do throws(CommandFailure) {
          return try await preload.run(arguments) { (access) throws(CommandFailure) in try await names(wanted, access) }
        } catch { return error.saidLate(by: usage) }
      }
    }
    let toOutput = OutputPath.isStandardOutput(output)
    if toOutput { try OutputPath.expectPipe(isOne: wanted.isOne) }
    let cache = try? CacheFolder.path(arguments)
    return AsyncMain.run {
      do throws(CommandFailure) {
        let access = try await RobotAccess(arguments, names: arguments.operands)
        if toOutput { return try await write(try await names(wanted, access)[0], access) }
        return await fetch(try await names(wanted, access), wanted, output, access, cachedIn: cache)
      } catch {
        return error.saidLate(by: usage)
      }
    }
  }

  private static func wanted(_ arguments: ParsedArguments) throws(UsageError) -> Wanted {
    let filter = try FilterOptions(arguments)
    try StateOption.expectReady(arguments)
    let isAll = arguments.flag("all") || arguments["state"] == ListQuery.StateFilter.ready.rawValue
    guard arguments.operands.isEmpty || (filter.isEmpty && !isAll) else {
      throw UsageError("give either names of recordings, or --all, --camera, --since, --until, --lasting or --state")
    }
    if !arguments.operands.isEmpty { return .names(arguments.operands) }
    guard isAll || !filter.isEmpty else {
      throw UsageError(
        "name the recordings (footage list --robot shows them), or give --all, --camera, --since, --until or --lasting"
      )
    }
    return .all(filter)
  }

  private static func names(_ wanted: Wanted, _ access: RobotAccess) async throws(CommandFailure) -> [String] {
    switch wanted {
    case .names(let texts):
      var names: [String] = []
      for text in texts { names.append(await name(text, access)) }
      return names
    case .all(let filter):
      let bounds = try await filter.bounds(of: access)
      if let words = bounds.words { Terminal.error("\(words)\n") }
      var names: [String] = []
      do throws(RobotError) {
        for try await recording in access.robot.recordings(of: filter.query(bounds, state: .ready)) {
          names.append(recording.name)
        }
      } catch { throw .failed(error == .cancelled ? "stopped" : access.words(for: error)) }
      if names.isEmpty { try await CameraChoice.expect(filter.camera, on: access) }
      return names
    }
  }

  /// Writes a recording to standard output while it is being received.
  private static func write(_ name: String, _ access: RobotAccess) async throws(CommandFailure) -> ExitCode {
    do throws(RobotError) {
      for try await bytes in access.robot.read(name) { guard Terminal.output(bytes) else { return .failed } }
      return .done
    } catch { throw .failed(access.words(for: error)) }
  }

  /// Returns a recording's name as the robot spells it. A name that the robot does not have, or about which it cannot
  /// be asked, is reported when it is fetched.
  private static func name(_ text: String, _ access: RobotAccess) async -> String {
    guard RecordingNameText.readings(of: text).count > 1 else { return text }
    let found = try? await RecordingNameText.first(of: text) { (name) async throws(RobotError) in
      try await access.robot.recording(name).name
    }
    return found ?? text
  }

  private static func fetch(
    _ names: [String], _ wanted: Wanted, _ output: String?, _ access: RobotAccess, cachedIn folder: String?
  ) async -> ExitCode {
    var exitCode = ExitCode.done
    if names.isEmpty { Terminal.error("there is nothing to fetch\n") }
    for (index, name) in names.enumerated() {
      let path: String
      do throws(StorageError) {
        guard let found = try OutputPath.path(for: name, output, isOnly: wanted.isOne) else {
          exitCode = Terminal.failed(OutputPath.words(forBadName: name))
          continue
        }
        path = found
      } catch {
        exitCode = Terminal.failed(error)
        continue
      }
      let report = ProgressReport(name, place: (index + 1, names.count))
      if let error = await fetch(name, to: path, access, report, cachedIn: folder) {
        exitCode = .failed
        // The next recording would fail in the same way.
        switch error {
        case .trust, .identity, .notAllowed, .unreachable, .system, .cancelled: return exitCode
        default: continue
        }
      }
    }
    return exitCode
  }

  /// Fetches a recording, and prints the result.
  private static func fetch(
    _ name: String, to path: String, _ access: RobotAccess, _ report: ProgressReport, cachedIn folder: String?
  ) async -> RobotError? {
    let shown = Terminal.printable(name)
    do throws(RobotError) {
      if try await isCopied(name, to: path, access, from: folder) {
        Terminal.error("\(shown) was copied from the cache\n")
        Terminal.output("\(path)\n")
        return nil
      }
      let fetched = try await access.robot.download(name, to: path) { report.show($0) }
      report.end(keeping: !fetched.wasThere)
      if fetched.wasThere { Terminal.error("\(shown) was already fetched, and the robot has no other version\n") }
      Terminal.output("\(path)\n")
      return nil
    } catch {
      report.end()
      // The partial file may have been removed meanwhile.
      let part = PartialFileName.part(of: path)
      let isKept = report.hasReceived && FileTree.exists(part) && FileTree.exists(PartialFileName.map(of: path))
      let hint =
        "the received part of \(shown) is in \(part)\(error.isWorthResuming ? "; the same command resumes it" : "")"
      if error == .cancelled {
        _ = Terminal.failed("stopped: \(isKept ? hint : "nothing of \(shown) was received yet")")
      } else {
        _ = Terminal.failed(access.words(for: error))
        if isKept { Terminal.error("\(Terminal.printable(hint))\n") }
      }
      return error
    }
  }
}

extension FetchCommand {
  /// Copies a recording from the cache if the cache has the robot's version. The cache is only read, even while another
  /// process uses it.
  ///
  /// - Parameter folder: the folder of the cache. A folder that does not exist is not created.
  private static func isCopied(
    _ name: String, to path: String, _ access: RobotAccess, from folder: String?
  ) async throws(RobotError) -> Bool {
    guard let folder, FileTree.exists(folder), let cache = try? MediaCache(reading: folder) else { return false }
    do throws(RobotError) {
      let copied = try await access.robot.copyFromCache(name, to: path, in: cache)
      await cache.close()
      return copied != nil
    } catch {
      await cache.close()
      throw error
    }
  }
}

extension RobotError {
  /// True if the same command may fetch the rest after a person has fixed the cause.
  fileprivate var isWorthResuming: Bool {
    switch self {
    case .unreachable, .localNetworkDenied, .unavailable, .trust, .identity, .notAllowed, .file, .system, .cancelled:
      true
    default: false
    }
  }
}
