internal import FootageCore
internal import FootageSystem

/// The command `footage fetch --preload 5s NAME…`, which fetches the first seconds of recordings into the cache, so
/// that playback begins at once.
struct Preload: Sendable {
  /// The number of seconds to fetch of each recording.
  let seconds: Double
  private let folder: String
  private let quota: UInt64

  init(_ text: String, _ arguments: ParsedArguments) throws(UsageError) {
    guard let seconds = Self.seconds(text) else {
      throw UsageError("--preload must be a time (5s, 2m), not '\(text)'")
    }
    guard arguments["output"] == nil else {
      throw UsageError("--preload writes only to the cache: leave out --output or --preload")
    }
    self.seconds = seconds
    folder = try CacheFolder.path(arguments)
    quota = try ByteCount.read(arguments["quota"] ?? "8G", option: "quota")
  }

  /// - Returns: nil if the text is not a time.
  static func seconds(_ text: String) -> Double? {
    let unit: Double? =
      switch text.utf8.last {
      case UInt8(ascii: "s"): 1
      case UInt8(ascii: "m"): 60
      default: nil
      }
    guard let unit, let count = Double(text.dropLast()), count > 0, count <= 1e7 else { return nil }
    return count * unit
  }

  /// - Parameter names: returns the names of the requested recordings.
  func run(
    _ arguments: ParsedArguments, _ names: (RobotAccess) async throws(CommandFailure) -> [String]
  ) async throws(CommandFailure) -> ExitCode {
    let cache = try PlayCommand.openCache(at: folder, quota)
    let access = try await RobotAccess(arguments, cache: cache, names: arguments.operands)
    let names = try await names(access)
    if names.isEmpty { Terminal.error("there is nothing to fetch\n") }
    var exitCode = ExitCode.done
    for name in names {
      do throws(RobotError) {
        let playback = try await access.robot.playback(of: name)
        do throws(MediaCacheError) { try await playback.preload(seconds: seconds) } catch { throw .cache(error) }
        Terminal.error("\(Terminal.printable(name)): its first seconds are in the cache\n")
      } catch {
        exitCode = Terminal.failed(error == .cancelled ? "stopped" : access.words(for: error))
        // The next recording would fail in the same way.
        guard error.concernsThisRecording else { break }
      }
    }
    await cache.close()
    return exitCode
  }
}

extension RobotError {
  /// True if another recording may succeed.
  fileprivate var concernsThisRecording: Bool {
    switch self {
    case .trust, .identity, .notAllowed, .unreachable, .system, .cancelled: false
    default: true
    }
  }
}
