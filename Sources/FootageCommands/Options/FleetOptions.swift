internal import FootageStore
internal import FootageServer
internal import FootageSystem

/// The options with which `serve` shows many robots from one store.
enum FleetOptions {
  private static let store = StoreOptions(name: "store")

  static let options: [Usage.Option] =
    store.options("Serves what many robots have copied to a store, instead of a folder") + [
      .value(
        "robots", "FILE",
        "The robots and the pins of their keys, one line each: ROBOT sha256/… [sha256/…]; read again when it changes.")
    ]

  static let details = """
    With --store and --robots, the server has no recordings of its own: it lists those that the robots in FILE have in
    the store, as ROBOT/NAME of cameras ROBOT:CAM, and serves them from there. Recordings that their robot has not
    signed are listed as refused. The index and the cache are in --state-dir [$STATE_DIRECTORY, else
    $XDG_CACHE_HOME/footage/fleet], and may be deleted.
    """

  /// - Returns: nil if a folder is served.
  static func settings(_ arguments: ParsedArguments) throws(UsageError) -> FleetSettings? {
    guard let connection = try store.connection(arguments, others: ["robots"]) else { return nil }
    guard let robots = arguments["robots"] else {
      throw UsageError("--store requires --robots FILE, with one line for each robot: its name and the pin of its key")
    }
    for option in ["recordings", "offload"] where arguments.isGiven(option) {
      throw UsageError(
        "--store is for a server of many robots, and --\(option) for a single robot: use only one of them")
    }
    return FleetSettings(
      store: connection, robots: robots, state: try state(arguments),
      cacheBytes: try ByteCount.read(arguments["store-cache"] ?? "2G", option: "store-cache"))
  }

  private static func state(_ arguments: ParsedArguments) throws(UsageError) -> String {
    if let folder = arguments["state-dir"] ?? Process.variable("STATE_DIRECTORY"), !folder.isEmpty { return folder }
    guard let cache = CacheFolder.ofThisUser() else {
      throw UsageError(
        "neither XDG_CACHE_HOME nor HOME is set: name a folder for the index and the cache with --state-dir DIR")
    }
    return "\(cache)/fleet"
  }
}
