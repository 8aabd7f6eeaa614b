package import FootageBase
internal import FootageSystem

/// The reason why a time zone is unavailable.
package enum TimeZoneError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The database has no zone with this name, or there is no database.
  case unknown(name: String, folder: String, hasDatabase: Bool)
  /// The file with this name cannot be read, or is not a time zone.
  case unusable(name: String, reason: String)

  package var description: String {
    switch self {
    case .unknown(let name, let folder, true):
      "there is no time zone '\(name)' in \(folder): spell it as the time zone database does, for example "
        + "Europe/Berlin, or use UTC or local"
    case .unknown(let name, let folder, false):
      "cannot look up time zone '\(name)', because \(folder) does not exist: install the package tzdata, or use UTC "
        + "or local"
    case .unusable(let name, let reason): "cannot use time zone '\(name)': \(reason)"
    }
  }
}

/// The time zones in this machine's time zone database.
package struct SystemTimeZones: Sendable {
  /// The folder of the time zone database.
  private let folder: String
  /// The file with the machine's own zone, which applies if no other is set.
  private let localFile: String
  /// The environment variable `TZ`; nil if it is not set.
  private let variable: String?

  /// - Parameter variable: the value of the environment variable `TZ`; nil if it is not set.
  package init(variable: String?, folder: String = "/usr/share/zoneinfo", localFile: String = "/etc/localtime") {
    self.variable = variable
    self.folder = folder
    self.localFile = localFile
  }

  /// Returns the zone for `local`, `UTC`, or a name as the database spells it. Blocks.
  ///
  /// - Parameter warn: receives a message if `local` cannot be determined. UTC is then used, as in other programs.
  package func zone(_ name: String, warn: (String) -> Void) throws(TimeZoneError) -> TimeZoneRules {
    switch name {
    case "local": return local(warn: warn)
    case "UTC": return .utc
    default: return try zone(named: name)
    }
  }

  /// Returns the zone in `TZ` if it is set, otherwise `/etc/localtime`, otherwise UTC (tzset(3)). Blocks.
  package func local(warn: (String) -> Void) -> TimeZoneRules {
    do throws(TimeZoneError) {
      guard let variable else { return try zoneOfLocalFile() }
      return try zone(ofVariable: variable)
    } catch {
      warn("\(variable == nil ? localFile : "the variable TZ"): \(error); local times are read as UTC")
      return .utc
    }
  }

  /// Returns the zone for `Europe/Berlin`, `:Europe/Berlin`, `/path/of/a/file`, or a rule like
  /// `CET-1CEST,M3.5.0,M10.5.0/3`.
  private func zone(ofVariable variable: String) throws(TimeZoneError) -> TimeZoneRules {
    let text = variable.utf8.first == UInt8(ascii: ":") ? String(variable.dropFirst()) : variable
    if text.isEmpty { return .utc }
    if text.utf8.first == UInt8(ascii: "/") { return try zone(inFile: text, name: name(ofFile: text) ?? text) }
    do throws(TimeZoneError) { return try zone(named: text) } catch {
      guard let rule = POSIXTimeZone(text) else { throw error }
      return TimeZoneRules(name: text, rule: rule)
    }
  }

  private func zoneOfLocalFile() throws(TimeZoneError) -> TimeZoneRules {
    guard FileTree.exists(localFile) else { return .utc }
    let path = try mapError(
      { (error: StorageError) in TimeZoneError.unusable(name: localFile, reason: error.description) },
      try FileTree.canonical(localFile))
    return try zone(inFile: path, name: name(ofFile: path) ?? "local")
  }

  private func zone(named name: String) throws(TimeZoneError) -> TimeZoneRules {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let path = "\(folder)/\(name)"
    // A name never leads out of the database.
    guard parts.allSatisfy({ !$0.isEmpty && $0.first != UInt8(ascii: ".") }), !name.utf8.contains(0),
      let status = try? FileStatus.of(path, followingLinks: true), status.kind == .regular
    else { throw .unknown(name: name, folder: folder, hasDatabase: FileTree.exists(folder)) }
    return try zone(inFile: path, name: Self.plain(name))
  }

  private func zone(inFile path: String, name: String) throws(TimeZoneError) -> TimeZoneRules {
    let bytes: [UInt8]
    do throws(StorageError) {
      let file = try RandomAccessFile(path: path, followingLinks: true)
      guard file.length <= UInt64(TimeZoneRules.largestFileBytes) else {
        throw StorageError("read", path, .wrongKind("too large for a time zone"))
      }
      bytes = try file.bytes(at: 0, count: Int(file.length))
    } catch { throw .unusable(name: name, reason: error.description) }
    do throws(TimeZoneFileError) { return try TimeZoneRules(name: name, file: bytes) } catch {
      throw .unusable(name: name, reason: "\(path): \(error)")
    }
  }

  /// Returns the database's name for one of its own files; nil for other files.
  private func name(ofFile path: String) -> String? {
    let prefix = ((try? FileTree.canonical(folder)) ?? folder) + "/"
    guard path.utf8.starts(with: prefix.utf8) else { return nil }
    return Self.plain(String(decoding: path.utf8.dropFirst(prefix.utf8.count), as: UTF8.self))
  }

  /// Replaces the many names of UTC with `UTC`.
  private static func plain(_ name: String) -> String {
    ["Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "UCT", "Universal", "Zulu"].contains(name) ? "UTC" : name
  }
}
