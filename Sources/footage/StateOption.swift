internal import FootageAPI
internal import Storage
internal import System

/// `list --state`: which state is wanted, or, as for the other commands, where the catalog lives.
struct StateOption: Sendable {
  static let option = Usage.Option.value(
    "state", "STATE|DIR", "Those that are ready, recording or refused; or where the catalog lives [DIR/.footage].")

  /// Nil for all.
  let filter: ListQuery.StateFilter?
  /// Nil for the usual one.
  let folder: String?

  /// - Parameter environment: looks a variable up: the folder may be set there for all commands.
  init(
    _ arguments: ParsedArguments, environment: (String) -> String? = Process.variable
  ) throws(UsageError) {
    guard let text = arguments["state"] else {
      (filter, folder) = (nil, nil)
      return
    }
    if let filter = ListQuery.StateFilter(rawValue: text) {
      self.filter = filter
      let inherited = environment(Self.option.environmentName) ?? ""
      folder = inherited.isEmpty || ListQuery.StateFilter(rawValue: inherited) != nil ? nil : inherited
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
  static func expectReady(
    _ arguments: ParsedArguments, environment: (String) -> String? = Process.variable
  ) throws(UsageError) {
    guard let text = arguments["state"], text != ListQuery.StateFilter.ready.rawValue,
      text != environment(option.environmentName)
    else { return }
    throw UsageError(
      "--state can be ready alone, and is '\(text)': a recording is fetched when its recorder has closed it, and a refused one "
        + "not at all (footage list --state refused says why)")
  }
}
