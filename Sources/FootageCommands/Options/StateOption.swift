internal import FootageAPI
internal import FootageSystem

/// The option `--state-dir`, the folder of the catalog, and `list --state`, the requested state. Both were called
/// `--state` earlier, which still works.
struct StateOption: Sendable {
  /// The option of commands in which `--state` was the folder.
  static let folder = Usage.Option.value(
    "state-dir", "DIR", formerly: "state", "Where the catalog lives [DIR/.footage among the recordings].")

  /// The option of `list` for the requested state.
  static let state = Usage.Option.value("state", "STATE", "Those that are ready, recording or refused.")

  /// The option of `list` for the folder of the catalog.
  static let catalog = Usage.Option.value(
    "state-dir", "DIR", formerly: "state",
    "Keeps the catalog there [$XDG_CACHE_HOME/footage/catalogs, where no server answers].")

  /// The requested state; nil for all states.
  let filter: ListQuery.StateFilter?
  /// The folder of the server's own state; nil for the usual place.
  let folder: String?
  /// True if the command line names the folder. The command then keeps its own catalog there as well.
  let isNamed: Bool

  /// Reads the options. The folder may also be set in the environment for all commands, or by the service.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    let inherited = arguments["state-dir"].flatMap { ListQuery.StateFilter(rawValue: $0) == nil ? $0 : nil }
    let text = arguments["state"]
    filter = text.flatMap { ListQuery.StateFilter(rawValue: $0) }
    guard let text, filter == nil, arguments.isTyped("state") else {
      (folder, isNamed) = (inherited, arguments.isTyped("state-dir"))
      return
    }
    // A misspelled state must not become a folder.
    guard text.utf8.contains(UInt8(ascii: "/")) || FileTree.exists(text) else {
      throw UsageError(
        "--state has to be ready, recording or refused, and is '\(text)' (the folder is --state-dir DIR)")
    }
    (folder, isNamed) = (text, true)
  }

  /// Reads the folder for a command that has no filter.
  init(ofFolder arguments: ParsedArguments) {
    (filter, folder, isNamed) = (nil, arguments["state-dir"], arguments.isTyped("state-dir"))
  }

  /// Checks the state for `fetch`, which can only fetch ready recordings. An inherited value is ignored, because the
  /// variable may hold the folder of the robot's catalog.
  static func expectReady(_ arguments: ParsedArguments) throws(UsageError) {
    guard let text = arguments["state"], text != ListQuery.StateFilter.ready.rawValue,
      text != arguments.inherited("state")
    else { return }
    throw UsageError(
      "--state can be ready alone, and is '\(text)': a recording is fetched when its recorder has closed it, and a refused one "
        + "not at all (footage list --state refused says why)")
  }
}
