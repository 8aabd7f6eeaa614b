internal import FootageCore
internal import FootageSystem

/// Where the cache of whoever runs this is (XDG Base Directory Specification).
enum CacheFolder {
  static let option = Usage.Option.value(
    "cache", "DIR", "The cache's folder [$XDG_CACHE_HOME/footage, else ~/.cache/footage].")

  static func path(_ arguments: ParsedArguments) throws(UsageError) -> String {
    if let folder = arguments["cache"] { return folder }
    return try ofThisUser(otherwise: "the cache is", "cache")
  }

  /// - Parameters:
  ///   - subject: what is wanted, for whoever has no such folder.
  ///   - option: by which it is said where it is.
  static func ofThisUser(otherwise subject: String, _ option: String) throws(UsageError) -> String {
    // One that is not absolute counts as if it were not set.
    if let cache = Process.variable("XDG_CACHE_HOME"), cache.utf8.first == UInt8(ascii: "/") {
      return "\(cache)/footage"
    }
    guard let home = Process.variable("HOME"), !home.isEmpty else {
      throw UsageError("neither XDG_CACHE_HOME nor HOME is set: say where \(subject) with --\(option) DIR")
    }
    return "\(home)/.cache/footage"
  }
}

extension RecordingKey {
  /// Byte by byte: an `é` of one letter and one of two are two names.
  func hasName(_ name: String) -> Bool { self == RecordingKey(robot: robot, name: name) }
}
