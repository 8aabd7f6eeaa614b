internal import FootageCore
internal import FootageSystem
internal import Storage

/// Where the cache of whoever runs this is (XDG Base Directory Specification).
enum CacheFolder {
  static let option = Usage.Option.value(
    "cache", "DIR", "The cache's folder [$XDG_CACHE_HOME/footage, else ~/.cache/footage].")

  static func path(_ arguments: ParsedArguments) throws(UsageError) -> String {
    if let folder = arguments["cache"] { return folder }
    return try ofThisUser(otherwise: "the cache is", "cache")
  }

  /// Opens the cache of a command that looks into it alone. Nothing is made of a folder that is not there.
  ///
  /// - Throws: `.failed` where the command line names a folder that is not there, or the folder is no cache's.
  static func openReading(_ folder: String, _ arguments: ParsedArguments) throws(CommandFailure) -> MediaCache {
    guard FileTree.exists(folder) || arguments["cache"] == nil else {
      throw .failed("there is no cache in \(folder): name its folder with --cache DIR")
    }
    do throws(MediaCacheError) { return try MediaCache(reading: folder) } catch {
      throw .failed(ShellWords.words(for: error))
    }
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
