internal import FootageCore
internal import FootageBase
internal import FootageServing
internal import FootageSystem

/// The command `footage play`. It makes a recording available at a URL that any player on this machine opens, while it
/// is fetched and kept.
enum PlayCommand: Command {
  static let usage = Usage(
    "play", "Plays a recording in any player while it is fetched, and caches it.",
    operands: "[NAME]",
    options: RobotAccess.options + [
      .value("player", "COMMAND", "The player to start, with the URL as its last argument: mpv, or 'mpv --fs'."),
      CacheFolder.option,
      .value("quota", "SIZE", default: "8G", "The maximum size of the cache: 500M, 8G."),
      .value(
        "read-ahead", "TIME|SIZE|all", default: "60s",
        "How far to fetch ahead of the player: 90s, 5m, 64M; or all, including what the player skips."),
      .flag("offline", "Plays only what is in the cache, without asking a robot."),
      .value("camera", "CAMERA", "Plays what this camera recorded, instead of one recording."),
      .value("from", "TIME", "With --camera: when playback begins: \(SpokenTime.examples)."),
      .value("to", "TIME", "When playback ends, in the same forms, at most two hours later [two hours later, or now]."),
      .value("zone", "ZONE", default: "local", "The time zone of the times: local, robot, UTC, or AREA/CITY."),
    ],
    details: """
      With --camera and --from, that time of a camera is played, exact to the picture. If it spans several recordings,
      standard output gets a URL for each, and the player gets a list of them. A recording that is still being written
      ends where it was when this command began.

      The first line of standard output is the URL, on 127.0.0.1. It is valid until the player ends, or until Ctrl-C.
      What was fetched stays in the cache. With --read-ahead all, what the player skips is fetched as well, while
      nothing else is needed, so that the recording is complete at the end; from then on it plays without its robot. If
      the robot cannot be reached, what is cached is played.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    let camera = arguments["camera"]
    let times = try FilterOptions(arguments, names: ("from", "to"))
    guard camera != nil || !(arguments.isGiven("from") || arguments.isGiven("to")) else {
      throw UsageError("--from and --to need --camera CAMERA")
    }
    guard camera != nil || !arguments.operands.isEmpty else {
      throw UsageError("name a recording: footage list --robot shows them")
    }
    guard camera == nil || arguments.operands.isEmpty else {
      throw UsageError("name either a recording, or a camera with --camera")
    }
    guard camera == nil || arguments["from"] != nil else { throw UsageError("--from TIME is required") }
    guard camera == nil || !arguments.flag("offline") else {
      throw UsageError("--offline cannot play a camera: name a recording (footage cache list shows them)")
    }
    guard camera != nil || arguments.operands.count == 1 else {
      throw UsageError("'\(arguments.operands[1])' is one word too many")
    }
    let quota = try ByteCount.read(arguments["quota"] ?? "8G", option: "quota")
    let readAhead = try readAhead(arguments["read-ahead"] ?? "60s")
    let folder = try CacheFolder.path(arguments)
    let player = arguments["player"]
    let isOffline = arguments.flag("offline")
    return AsyncMain.run {
      do throws(CommandFailure) {
        // A cache that does not exist has nothing to play, and is not created for that.
        let cache =
          isOffline && !FileTree.exists(folder)
          ? try CacheFolder.openReading(folder, arguments) : try openCache(at: folder, quota)
        if let camera {
          let access = try await RobotAccess(arguments, cache: cache)
          let bounds = try await times.bounds(of: access)
          if let words = bounds.words { Terminal.error("\(words)\n") }
          let film = try await CameraPlay(camera, bounds, access)
          for playback in film.playbacks { playback.readAhead = readAhead }
          let exitCode = await play(film, player) { access.words(for: $0) }
          await cache.close()
          return exitCode
        }
        let (opened, words) = try await open(arguments.operands[0], arguments, cache, isOffline: isOffline)
        opened.readAhead = readAhead
        let exitCode = await play(opened, player, words)
        await cache.close()
        return exitCode
      } catch {
        return error.saidLate(by: usage)
      }
    }
  }

  /// Reads a value like `90s`, `5m`, `64M` or `all`.
  private static func readAhead(_ text: String) throws(UsageError) -> ReadAhead {
    if text == "all" { return .all }
    let unit: Double? =
      switch text.utf8.last {
      case UInt8(ascii: "s"): 1
      case UInt8(ascii: "m"): 60
      default: nil
      }
    guard let unit else {
      guard text.utf8.last.map({ !(0x30...0x39).contains($0) }) == true,
        let bytes = try? ByteCount.read(text, option: "read-ahead")
      else { throw UsageError("--read-ahead must be a time (90s, 5m), a size (64M) or all, not '\(text)'") }
      return .bytes(bytes)
    }
    guard let count = Double(text.dropLast()), count >= 0, count <= 1e9 else {
      throw UsageError("--read-ahead must be a time (90s, 5m), a size (64M) or all, not '\(text)'")
    }
    return .seconds(count * unit)
  }

  /// Opens the cache. If another process is using it, the cached bytes are played and no more are kept.
  static func openCache(at folder: String, _ quota: UInt64) throws(CommandFailure) -> MediaCache {
    do throws(MediaCacheError) {
      return try MediaCache(at: folder, quota: quota) { Terminal.say($0) }
    } catch { throw .failed(ShellWords.words(for: error)) }
  }

  /// A function that returns the message about a failure for a person.
  typealias Words = @Sendable (RobotError) -> String

  private static func open(
    _ name: String, _ arguments: ParsedArguments, _ cache: MediaCache, isOffline: Bool
  ) async throws(CommandFailure) -> (Playback, Words) {
    guard isOffline else {
      let access = try await RobotAccess(arguments, cache: cache, names: [name])
      do throws(RobotError) {
        let playback = try await RecordingNameText.first(of: name) { (name) async throws(RobotError) in
          try await access.robot.playback(of: name)
        }
        return (playback, { access.words(for: $0) })
      } catch { throw .failed(access.words(for: error)) }
    }
    // No connection is made. The option only says which robot's recording is meant.
    let key = try await RobotAccess.cached(name, arguments, in: cache)
    do throws(MediaCacheError) { return (try await cache.playback(of: key), { $0.description }) } catch {
      throw .failed(ShellWords.words(for: error))
    }
  }

  private static func play(_ playback: Playback, _ player: String?, _ words: @escaping Words) async -> ExitCode {
    let url: String
    do throws(MediaCacheError) { url = try playback.playerLink() } catch {
      return Terminal.failed(ShellWords.words(for: error))
    }
    Terminal.output("\(url)\n")
    if !playback.keepsOtherUsersOut {
      Terminal.say("this system does not report who owns a connection: any local user who learns the URL can play it")
    }
    let report = PlaybackReport(playback, drawsBar: player == nil, words)
    return await withTaskGroup(of: Void.self) { group in
      group.addTask { await report.run() }
      if playback.readAhead == .all { group.addTask { await keepWhole(playback) } }
      defer { group.cancelAll() }
      guard let player else {
        await AsyncMain.untilCancelled()
        report.end()
        return .done
      }
      return await run(player, url)
    }
  }

  private static func play(_ film: CameraPlay, _ player: String?, _ words: @escaping Words) async -> ExitCode {
    for part in film.parts { Terminal.output("\(part.url)\n") }
    return await withTaskGroup(of: Void.self) { group in
      for playback in film.playbacks {
        let report = PlaybackReport(playback, drawsBar: false, words)
        group.addTask { await report.run() }
      }
      defer { group.cancelAll() }
      guard let player else {
        await AsyncMain.untilCancelled()
        return .done
      }
      return await run(player, film.url)
    }
  }

  private static func run(_ player: String, _ url: String) async -> ExitCode {
    do throws(PlayerError) {
      let ending = try await PlayerProcess.run(player, url)
      guard let words = ending.problemOfPlayer, !Task.isCancelled else { return .done }
      return Terminal.failed("the player '\(player)' \(words)")
    } catch { return Terminal.failed(error) }
  }

  /// Fetches the ranges that the player skips, for as long as it plays.
  private static func keepWhole(_ playback: Playback) async {
    while !Task.isCancelled {
      do throws(MediaCacheError) {
        return try await playback.fillHoles()
      } catch {
        switch error {
        // The report shows the trouble with the robot, which may be over later.
        case .unreachable: try? await Task.sleep(for: .seconds(5))
        case .noRoom: return Terminal.say(ShellWords.words(for: error))
        default: return
        }
      }
    }
  }
}
