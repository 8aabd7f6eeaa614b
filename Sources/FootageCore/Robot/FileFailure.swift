internal import FootageSystem

/// Why a file or a folder of the app's cannot be used: a sentence for people, and what it comes to for a program.
public struct FileFailure: Hashable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation {
  /// What somebody has to see to.
  public enum Reason: Hashable, Sendable {
    /// The disk, the user's share of it, or the cache's quota is used up.
    case noRoom
    /// The app may not write there, or the file system is read-only.
    case noPermission
    /// A folder on the way is not there, or the file has gone.
    case notFound
    /// Another process has it.
    case inUse
    /// The disk does not give back what it was given, or does not work.
    case broken
    /// The cache was given a folder with something of another program, or of a person. It stays as it is.
    case notOurs
    /// Whatever else the description says.
    case other
  }

  public let reason: Reason
  /// What failed, where, and most often what to do.
  public let description: String

  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  /// Of another reason.
  public init(stringLiteral description: String) { self.init(.other, description) }

  init(_ error: StorageError) { self.init(Reason(error), error.description) }

  /// Of a call that is about no file: there is no thread left to use one.
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
