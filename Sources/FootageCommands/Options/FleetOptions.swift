internal import FootageStore
internal import FootageServer
internal import FootageSystem

/// The options with which `serve` shows many robots from one store.
enum FleetOptions {
  private static let store = StoreOptions(name: "store")

  static let options: [Usage.Option] =
    store.options("Shows what many robots brought into a store, in place of a folder") + [
      .value(
        "robots", "FILE",
        "Which robots, and by which keys: a line each, ROBOT sha256/… [sha256/…]; read again when it changes.")
    ]

  static let details = """
    With --store and --robots it has no recordings of its own: it lists what the robots of FILE have in the store, as
    ROBOT/NAME of cameras ROBOT:CAM, and serves it from there. What a robot has not signed is listed as refused. Index and
    cache lie in --state-dir [$STATE_DIRECTORY, else $XDG_CACHE_HOME/footage/fleet], and may be deleted.
    """

  /// - Returns: nil if a folder is served.
  static func settings(_ arguments: ParsedArguments) throws(UsageError) -> FleetSettings? {
    guard let connection = try store.connection(arguments, others: ["robots"]) else { return nil }
    guard let robots = arguments["robots"] else {
      throw UsageError("--store needs --robots with a file: a line for each robot, its name and its key")
    }
    for option in ["recordings", "offload"] where arguments.isGiven(option) {
      throw UsageError("--store shows what robots have brought there, and --\(option) is of a robot: leave one out")
    }
    return FleetSettings(
      store: connection, robots: robots, state: try state(arguments),
      cacheBytes: try ByteCount.read(arguments["store-cache"] ?? "2G", option: "store-cache"))
  }

  private static func state(_ arguments: ParsedArguments) throws(UsageError) -> String {
    if let folder = arguments["state-dir"] ?? Process.variable("STATE_DIRECTORY"), !folder.isEmpty { return folder }
    guard let cache = CacheFolder.ofThisUser() else {
      throw UsageError(
        "neither XDG_CACHE_HOME nor HOME is set: say where index and cache are with --state-dir DIR")
    }
    return "\(cache)/fleet"
  }
}
