internal import FootageAPI
internal import FootageSystem

/// `--state-dir`: where the catalog lives; and `list --state`: which state is wanted. Both were called `--state`, and
/// that goes on working.
struct StateOption: Sendable {
  /// Of commands in which `--state` was the folder.
  static let folder = Usage.Option.value(
    "state-dir", "DIR", formerly: "state", "Where the catalog lives [DIR/.footage among the recordings].")

  /// Of `list`: which state is wanted.
  static let state = Usage.Option.value("state", "STATE", "Those that are ready, recording or refused.")

  /// Of `list`: where the catalog lives.
  static let catalog = Usage.Option.value(
    "state-dir", "DIR", formerly: "state",
    "Keeps the catalog there [$XDG_CACHE_HOME/footage/catalogs, where no server answers].")

  /// Nil for all.
  let filter: ListQuery.StateFilter?
  /// Where the server's own state is; nil for the usual place.
  let folder: String?
  /// True if the command line names the folder, so that the command keeps its own catalog there, too.
  let isNamed: Bool

  /// The folder may be set in the environment for all commands, and as the service has it.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    let inherited = arguments["state-dir"].flatMap { ListQuery.StateFilter(rawValue: $0) == nil ? $0 : nil }
    let text = arguments["state"]
    filter = text.flatMap { ListQuery.StateFilter(rawValue: $0) }
    guard let text, filter == nil, arguments.isTyped("state") else {
      (folder, isNamed) = (inherited, arguments.isTyped("state-dir"))
      return
    }
    // A word that is misspelt must not become a folder.
    guard text.utf8.contains(UInt8(ascii: "/")) || FileTree.exists(text) else {
      throw UsageError(
        "--state has to be ready, recording or refused, and is '\(text)' (the folder is --state-dir DIR)")
    }
    (folder, isNamed) = (text, true)
  }

  /// Of a command that has no filter.
  init(ofFolder arguments: ParsedArguments) {
    (filter, folder, isNamed) = (nil, arguments["state-dir"], arguments.isTyped("state-dir"))
  }

  /// For `fetch`, which can bring nothing else. The variable may say where the robot's catalog lives, which is no
  /// matter here.
  static func expectReady(_ arguments: ParsedArguments) throws(UsageError) {
    guard let text = arguments["state"], text != ListQuery.StateFilter.ready.rawValue,
      text != arguments.inherited("state")
    else { return }
    throw UsageError(
      "--state can be ready alone, and is '\(text)': a recording is fetched when its recorder has closed it, and a refused one "
        + "not at all (footage list --state refused says why)")
  }
}
