internal import FootageAPI
internal import FootageSystem

/// The option `--state-dir`, the folder of the catalog, and `list --state`, the requested state. Both were called
/// `--state` earlier, which still works.
struct StateOption: Sendable {
  /// The option of commands in which `--state` was the folder.
  static let folder = Usage.Option.value(
    "state-dir", "DIR", formerly: "state", "The folder of the catalog [.footage in the recordings folder].")

  /// The option of `list` for the requested state.
  static let state = Usage.Option.value("state", "STATE", "Only recordings in this state: ready, recording or refused.")

  /// The option of `list` for the folder of the catalog.
  static let catalog = Usage.Option.value(
    "state-dir", "DIR", formerly: "state",
    "The folder for the catalog [$XDG_CACHE_HOME/footage/catalogs, if no server answers].")

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
        "--state must be ready, recording or refused, not '\(text)' (for the folder, use --state-dir DIR)")
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
      "--state can only be ready, not '\(text)': a recording can be fetched after its recorder has closed it, "
        + "and a refused one never (footage list --state refused says why)")
  }
}
