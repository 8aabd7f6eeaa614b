internal import FootageCore
internal import FootageBase
internal import FootageLibrary
internal import FootageSystem

/// The command `footage cache`, which shows the local cache and keeps it in order.
enum CacheCommand: Command {
  static let usage = Usage(
    "cache", "Lists, exports, checks, keeps and removes cached recordings.",
    operands: "list|export|verify|keep|remove|clean [NAME…]",
    options: [
      CacheFolder.option,
      .optionalValue(
        "robot", "HOST:PORT|NAME|PIN", "If several robots have a recording of that name: the robot, as list shows it."),
      .value(
        "output", "FILE|DIR|-", letter: "o",
        "export: a file for one recording, a folder for several [.]; - is standard output."),
      .flag("json", "list: prints JSON, with everything that the robot listed and the path of the file."),
      .flag("undo", "keep: allows these recordings to be removed again when room is needed."),
    ],
    details: """
      list          lists what is cached: how much of each recording, when it began and how long it is
      export NAME…  writes complete recordings as plain files; in a folder, NAME becomes NAME.mp4
      verify        reads everything, and reports what a disk damaged; it is fetched again when it is played
      keep NAME…    never removes these to make room
      remove NAME…  removes these, kept or not
      clean         removes everything that is not kept

      Standard output of export gets the path of each file. Only one process at a time writes to a cache: while footage
      play uses it, only list, export and verify work. These three change nothing. Exits with 1 if something is damaged,
      missing or incomplete.
      """)

  private enum Verb: String, CaseIterable {
    case list, export, verify, keep, remove, clean

    var takesNames: Bool {
      switch self {
      case .export, .keep, .remove: true
      case .list, .verify, .clean: false
      }
    }

    /// True if the verb changes nothing in the cache.
    var onlyReads: Bool {
      switch self {
      case .list, .export, .verify: true
      case .keep, .remove, .clean: false
      }
    }

    static let words = "list, export, verify, keep, remove or clean"
  }

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let word = arguments.operands.first else { throw UsageError("say what to do: \(Verb.words)") }
    guard let verb = Verb(rawValue: word) else { throw UsageError("there is no 'cache \(word)': use \(Verb.words)") }
    let names = Array(arguments.operands.dropFirst())
    if verb.takesNames {
      guard !names.isEmpty else {
        throw UsageError("name the recordings to \(verb.rawValue): footage cache list shows them")
      }
    } else if let name = names.first {
      throw UsageError("'\(name)' is one word too many")
    }
    if verb == .export, OutputPath.isStandardOutput(arguments["output"]) {
      try OutputPath.expectPipe(isOne: names.count == 1)
    }
    let folder = try CacheFolder.path(arguments)
    return AsyncMain.run {
      do throws(CommandFailure) {
        let cache = try open(folder, for: verb, arguments)
        let exitCode: ExitCode
        do throws(MediaCacheError) { exitCode = try await run(verb, names, on: cache, arguments) } catch {
          exitCode = Terminal.failed(ShellWords.words(for: error))
        }
        await cache.close()
        return exitCode
      } catch {
        return error.saidLate(by: usage)
      }
    }
  }

  private static func open(
    _ folder: String, for verb: Verb, _ arguments: ParsedArguments
  ) throws(CommandFailure) -> MediaCache {
    // A cache that does not exist is not created, because it would be empty.
    guard !verb.onlyReads, FileTree.exists(folder) else { return try CacheFolder.openReading(folder, arguments) }
    // Nothing is fetched here, so no quota applies. A folder that cannot be written is an error only for a verb that
    // writes.
    do throws(MediaCacheError) { return try MediaCache(at: folder, quota: UInt64.max) } catch {
      throw .failed(ShellWords.words(for: error))
    }
  }

  private static func run(
    _ verb: Verb, _ names: [String], on cache: MediaCache, _ arguments: ParsedArguments
  ) async throws(MediaCacheError) -> ExitCode {
    switch verb {
    case .list: return await list(cache, asJSON: arguments.flag("json"))
    case .verify: return try await verify(cache)
    case .clean:
      // A folder that does not exist has nothing to remove, and is open for reading only.
      let (entries, problem) = (await cache.entries(), await cache.folderProblem)
      var freed: UInt64 = 0
      if !entries.isEmpty || problem != nil { freed = try await cache.clean() }
      Terminal.output("freed \(RecordingTable.size(freed))\n")
      return .done
    case .export, .keep, .remove:
      if let problem = await cache.folderProblem, case .folder(let failure) = problem, failure.reason == .notOurs {
        throw problem
      }
      var exitCode = ExitCode.done
      for name in names {
        do throws(CommandFailure) {
          let key = try await RobotAccess.cached(name, arguments, in: cache)
          switch verb {
          case .export where OutputPath.isStandardOutput(arguments["output"]):
            exitCode = try await write(key, from: cache)
          case .export: try await export(key, from: cache, arguments["output"], isOnly: names.count == 1)
          default: try await change(key, verb, isKept: !arguments.flag("undo"), in: cache)
          }
        } catch {
          if case .usage = error { return error.saidLate(by: usage) }
          exitCode = Terminal.failed(error)
        }
      }
      return exitCode
    }
  }

  private static func list(_ cache: MediaCache, asJSON: Bool) async -> ExitCode {
    let entries = await cache.entries()
    // Entries that can be read are listed, even if another process is writing to the cache.
    if entries.isEmpty, let problem = await cache.folderProblem {
      return Terminal.failed(ShellWords.words(for: problem))
    }
    guard !asJSON else {
      Terminal.output(CacheTable.json(entries))
      return .done
    }
    let known = (try? RobotAccess.pairings().all()) ?? []
    let zone = (try? SystemTimeZones.ofThisProcess.zone("local") { Terminal.say($0) }) ?? .utc
    Terminal.output(
      CacheTable.text(
        entries, robotName: { name in known.first { $0.cacheNames.contains(name) }?.address.description ?? name },
        in: zone, columns: Terminal.outputColumns))
    return .done
  }

  private static func verify(_ cache: MediaCache) async throws(MediaCacheError) -> ExitCode {
    var exitCode = ExitCode.done
    for found in try await cache.verify() {
      let bytes = found.damagedBytes.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound) }
      if bytes > 0 { exitCode = .failed }
      Terminal.output(
        "\(Terminal.printable(found.key.name)): \(bytes == 0 ? "good" : "\(bytes) bytes are damaged, and will be fetched again on playback")\n"
      )
    }
    return exitCode
  }

  private static func export(
    _ key: RecordingKey, from cache: MediaCache, _ output: String?, isOnly: Bool
  ) async throws(CommandFailure) {
    let found: String?
    do throws(StorageError) { found = try OutputPath.path(for: key.name, output, isOnly: isOnly) } catch {
      throw .failed(error.description)
    }
    guard let path = found else { throw .failed(OutputPath.words(forBadName: key.name)) }
    do throws(MediaCacheError) { try await cache.export(key, to: path) } catch {
      throw .failed(ShellWords.words(for: error))
    }
    Terminal.output("\(path)\n")
  }

  /// Writes a recording to standard output, after all of it was compared with its checksums.
  private static func write(_ key: RecordingKey, from cache: MediaCache) async throws(CommandFailure) -> ExitCode {
    let folder: ScratchFolder
    do throws(StorageError) { folder = try ScratchFolder() } catch { throw .failed(error.description) }
    // The folder is removed when this object is released.
    defer { withExtendedLifetime(folder) {} }
    let path = "\(folder.path)/recording.mp4"
    do throws(MediaCacheError) { try await cache.export(key, to: path) } catch {
      throw .failed(ShellWords.words(for: error))
    }
    do throws(StorageError) { return try OutputPath.writeToStandardOutput(fileAt: path) } catch {
      throw .failed(error.description)
    }
  }

  private static func change(
    _ key: RecordingKey, _ verb: Verb, isKept: Bool, in cache: MediaCache
  ) async throws(CommandFailure) {
    do throws(MediaCacheError) {
      if verb == .remove {
        try await cache.remove(key)
      } else if isKept {
        try await cache.keep(key)
      } else {
        try await cache.release(key)
      }
    } catch { throw .failed(ShellWords.words(for: error)) }
  }
}
