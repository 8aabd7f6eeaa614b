/// `footage cache`: looks into the local cache and keeps it in order.

internal import FootageClient
internal import Formats

enum CacheCommand: Command {
  static let usage = Usage(
    "cache", "Shows, checks and tidies what is cached of recordings.",
    operands: "list|verify|keep|remove|clean [NAME…]",
    options: [
      CacheFolder.option,
      .flag("json", "list: for programs."),
      .flag("undo", "keep: lets the recordings go again when room is needed."),
    ],
    details: """
      list          what is cached, how much of it, and where its file is
      verify        reads all of it; what a disk damaged is dropped, and fetched again when it is wanted
      keep NAME…    never removes these to make room
      remove NAME…  removes these, kept or not
      clean         removes all that is not kept

      One process at a time has a cache: end what plays from it first. Exits with 1 when something was damaged, or not
      there.
      """)

  static func run(_ arguments: ParsedArguments) throws(UsageError) -> ExitCode {
    guard let verb = arguments.operands.first else {
      throw UsageError("say what to do: list, verify, keep, remove or clean")
    }
    let names = Array(arguments.operands.dropFirst())
    switch verb {
    case "list", "verify", "clean":
      guard names.isEmpty else { throw UsageError("'\(names[0])' is one word too many") }
    case "keep", "remove":
      guard !names.isEmpty else { throw UsageError("name the recordings to \(verb)") }
    default: throw UsageError("there is no 'cache \(verb)': list, verify, keep, remove or clean")
    }
    let folder = try CacheFolder.path(arguments)
    let (asJSON, isKept) = (arguments.flag("json"), !arguments.flag("undo"))
    return Blocking.run {
      do throws(MediaCacheError) {
        // Nothing is fetched here, so no quota has to be kept.
        let cache = try MediaCache(at: folder, quota: UInt64.max, tell: { Terminal.say($0) })
        if let problem = await cache.folderProblem { return Terminal.failed(problem) }
        return try await run(verb, names, on: cache, asJSON: asJSON, isKept: isKept)
      } catch {
        return Terminal.failed(error)
      }
    }
  }

  private static func run(
    _ verb: String, _ names: [String], on cache: MediaCache, asJSON: Bool, isKept: Bool
  ) async throws(MediaCacheError) -> ExitCode {
    switch verb {
    case "verify":
      var exitCode = ExitCode.done
      for (key, damaged) in try await cache.verify() {
        let bytes = damaged.reduce(UInt64(0)) { $0 + ($1.upperBound - $1.lowerBound) }
        if bytes > 0 { exitCode = .failed }
        Terminal.output(
          "\(Terminal.printable(key.name)): \(bytes == 0 ? "good" : "\(bytes) bytes were damaged, and are fetched again")\n"
        )
      }
      return exitCode
    case "clean":
      Terminal.output("\(try await cache.clean()) bytes are free again\n")
      return .done
    case "keep", "remove":
      var exitCode = ExitCode.done
      let entries = await cache.entries()
      for name in names {
        // The same name on several robots means all of them.
        let keys = Set(entries.map(\.key).filter { $0.name == name })
        if keys.isEmpty {
          exitCode = Terminal.failed("there is no recording \(Terminal.printable(name)) in the cache")
        }
        for key in keys.sorted() {
          if verb == "keep" { try await cache.keep(key, isKept) } else { try await cache.remove(key) }
        }
      }
      return exitCode
    default:
      let entries = await cache.entries()
      Terminal.output(asJSON ? CacheTable.json(entries) : CacheTable.text(entries))
      return .done
    }
  }
}
