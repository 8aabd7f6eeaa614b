internal import FootageAPI
internal import Storage

/// `list --state`: which state is wanted, or, as for the other commands, where the catalog lives.
struct StateOption: Sendable {
  static let option = Usage.Option.value(
    "state", "STATE|DIR", "Those that are ready, recording or refused; or where the catalog lives [DIR/.footage].")

  /// Nil for all.
  let filter: ListQuery.StateFilter?
  /// Nil for the usual one.
  let folder: String?

  /// The folder may be set in the environment for all commands, and as the service has it.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    guard let text = arguments["state"] else {
      (filter, folder) = (nil, nil)
      return
    }
    if let filter = ListQuery.StateFilter(rawValue: text) {
      self.filter = filter
      folder = arguments.inherited("state").flatMap { ListQuery.StateFilter(rawValue: $0) == nil ? $0 : nil }
      return
    }
    // A word that is misspelt must not become a folder.
    guard text.utf8.contains(UInt8(ascii: "/")) || FileTree.exists(text) else {
      throw UsageError("--state has to be ready, recording or refused, or a folder, and there is none called '\(text)'")
    }
    (filter, folder) = (nil, text)
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
