package import FootageSystem

/// The reason why many robots' recordings cannot be shown.
package enum FleetError: Error, Sendable, CustomStringConvertible {
  /// The list of robots cannot be read.
  case robots(path: String, String)
  /// The index cannot be created, read or written.
  case index(SQLiteError)
  /// The state folder, or the cache in it, cannot be used.
  case storage(StorageError)
  /// Another server uses the state folder.
  case alreadyServed(folder: String)
  /// The store cannot be used at all, for this reason.
  case store(String)
  case system(SystemError)

  package var description: String {
    switch self {
    case .robots(let path, let reason): "\(path): \(reason)"
    case .index(let error): error.description
    case .storage(let error): error.description
    case .alreadyServed(let folder):
      "another server keeps its index in \(folder): stop it, or give this one its own folder with --state"
    case .store(let reason): reason
    case .system(let error): error.description
    }
  }
}
