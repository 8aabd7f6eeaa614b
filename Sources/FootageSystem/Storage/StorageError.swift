internal import FootageBase

/// The reason why a file could not be opened, read, written or watched.
package struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The action that failed, as a verb that comes before the path: "open", "read", "make durable".
  package let action: String
  package let path: String
  package let reason: Reason

  package enum Reason: Hashable, Sendable {
    /// A system call failed.
    case system(Errno)
    /// The file ended before the bytes that were promised.
    case endOfFile(offset: UInt64)
    /// The file is not the one that it was, or has other bytes.
    case changed
    /// It is not a regular file or folder where one is needed, but this.
    case wrongKind(String)
    /// It is stored elsewhere, and cannot be fetched from there for this reason.
    case away(String)
  }

  package init(_ action: String, _ path: String, _ reason: Reason) {
    self.action = action
    self.path = path
    self.reason = reason
  }

  /// True if the file is stored elsewhere and cannot be fetched from there.
  package var isAway: Bool {
    if case .away = reason { true } else { false }
  }

  /// Creates the error of a call that does not concern a file.
  package init(_ error: SystemError) { self.init("call", error.call, .system(error.number)) }

  /// Returns the result of a system call that concerns a file.
  ///
  /// - Throws: `StorageError` with the action, if the call fails.
  static func of<Result: ~Copyable>(
    _ action: @autoclosure () -> String, _ path: @autoclosure () -> String, _ call: () throws(Errno) -> Result
  ) throws(StorageError) -> Result {
    try mapError({ StorageError(action(), path(), .system($0)) }, try call())
  }

  package var description: String {
    switch reason {
    case .system(let number): "cannot \(action) \(path): \(number)\(remedy(for: number))"
    case .endOfFile(let offset): "cannot \(action) \(path): it ends at byte \(offset), before what was asked for"
    case .changed: "cannot \(action) \(path): it was changed in the meantime"
    case .away(let reason): "cannot \(action) \(path): \(reason)"
    case .wrongKind(let kind): "cannot \(action) \(path): it is \(kind)"
    }
  }

  private func remedy(for number: Errno) -> String {
    switch number {
    case .permissionDenied: " (check owner and mode of it and of the folders above)"
    case .noSpaceLeft, .diskQuotaExceeded: " (free some room on this file system)"
    case .readOnlyFileSystem: " (mount it for writing; a service of systemd needs ReadWritePaths= for it, too)"
    case .tooManyOpenFiles: " (raise the limit of open files: ulimit -n)"
    default: ""
    }
  }
}
