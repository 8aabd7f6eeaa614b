internal import FootageCore
internal import FootageSystem

/// The location of the user's cache (XDG Base Directory Specification).
enum CacheFolder {
  static let option = Usage.Option.value(
    "cache", "DIR", "The cache's folder [$XDG_CACHE_HOME/footage, else ~/.cache/footage].")

  static func path(_ arguments: ParsedArguments) throws(UsageError) -> String {
    if let folder = arguments["cache"] { return folder }
    guard let folder = ofThisUser() else {
      throw UsageError("neither XDG_CACHE_HOME nor HOME is set: name the folder of the cache with --cache DIR")
    }
    return folder
  }

  /// Opens the cache for a command that only reads it. A folder that does not exist is not created.
  ///
  /// - Throws: `.failed` if the command line names a folder that does not exist, or the folder is not a cache.
  static func openReading(_ folder: String, _ arguments: ParsedArguments) throws(CommandFailure) -> MediaCache {
    guard FileTree.exists(folder) || arguments["cache"] == nil else {
      throw .failed("there is no cache in \(folder): name its folder with --cache DIR")
    }
    do throws(MediaCacheError) { return try MediaCache(reading: folder) } catch {
      throw .failed(ShellWords.words(for: error))
    }
  }

  /// - Returns: nil if this user has no such folder.
  static func ofThisUser(_ environment: (String) -> String? = Process.variable) -> String? {
    // A path that is not absolute counts as if the variable were not set.
    if let cache = environment("XDG_CACHE_HOME"), cache.utf8.first == UInt8(ascii: "/") { return "\(cache)/footage" }
    guard let home = environment("HOME"), !home.isEmpty else { return nil }
    return "\(home)/.cache/footage"
  }
}

extension RecordingKey {
  /// Returns true if the name is equal byte by byte: an `é` of one code point and one of two are different names.
  func hasName(_ name: String) -> Bool { self == RecordingKey(robot: robot, name: name) }
}
