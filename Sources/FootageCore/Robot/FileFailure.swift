internal import FootageSystem

/// The reason why a file or a folder of the app cannot be used: a sentence for people, and a reason for programs.
public struct FileFailure: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation {
  /// The kind of problem, which determines the remedy.
  public enum Reason: Hashable, Sendable {
    /// The disk, the user's share of it, or the cache's quota is used up.
    case noRoom
    /// The app may not write there, or the file system is read-only.
    case noPermission
    /// The file, or a folder on its path, does not exist.
    case notFound
    /// Another process is using it.
    case inUse
    /// The disk returns different bytes than were written, or does not work.
    case broken
    /// The folder that was given to the cache contains files of another program or of a person. They stay as they are.
    case notOurs
    /// Another reason, which the description states.
    case other
  }

  public let reason: Reason
  /// A sentence that says what failed, where, and in most cases what to do.
  public let description: String

  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  /// Creates a failure for another reason.
  public init(stringLiteral description: String) { self.init(.other, description) }

  init(_ error: StorageError) { self.init(Reason(error), error.description) }

  /// Wraps a failure that concerns no file: no thread was left for using a file.
  init(_ error: SystemError) { self.init(.other, error.description) }

  init(_ error: SQLiteError) { self.init(Reason(error), error.description) }
}

extension FileFailure.Reason {
  fileprivate init(_ error: StorageError) {
    guard case .system(let number) = error.reason else {
      self = .other
      return
    }
    switch number {
    case .noSpaceLeft, .diskQuotaExceeded: self = .noRoom
    case .permissionDenied, .notPermitted, .readOnlyFileSystem: self = .noPermission
    case .notFound: self = .notFound
    case .wouldBlock: self = .inUse
    case .ioError: self = .broken
    default: self = .other
    }
  }

  fileprivate init(_ error: SQLiteError) {
    switch error.kind {
    case .full: self = .noRoom
    case .inaccessible: self = .noPermission
    case .busy: self = .inUse
    case .damaged, .inputOutput: self = CacheStoreProblem.index(error).isFull ? .noRoom : .broken
    case .other, .foreign: self = .other
    }
  }
}
