internal import FootageBase

/// The reason why a file could not be opened, read, written or watched.
package struct StorageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The action that failed, as a verb that comes before the path: "open", "read", "sync".
  package let action: String
  package let path: String
  package let reason: Reason

  package enum Reason: Hashable, Sendable {
    /// A system call failed.
    case system(Errno)
    /// The file ended at this offset, before bytes that it should have.
    case endOfFile(offset: UInt64)
    /// Another file has replaced the file, or its bytes have changed.
    case changed
    /// The file is not of the kind that is needed; the text describes what it is instead.
    case wrongKind(String)
    /// The file is stored elsewhere, and cannot be fetched for this reason.
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
    case .endOfFile(let offset): "cannot \(action) \(path): it ends at byte \(offset), before the requested bytes"
    case .changed: "cannot \(action) \(path): it was changed in the meantime"
    case .away(let reason): "cannot \(action) \(path): \(reason)"
    case .wrongKind(let kind): "cannot \(action) \(path): it is \(kind)"
    }
  }

  private func remedy(for number: Errno) -> String {
    switch number {
    case .permissionDenied: " (check the owner and mode of it and of the folders above it)"
    case .noSpaceLeft, .diskQuotaExceeded: " (free some room on this file system)"
    case .readOnlyFileSystem: " (mount it for writing; a systemd service also needs ReadWritePaths= for it)"
    case .tooManyOpenFiles: " (raise the limit of open files: ulimit -n)"
    default: ""
    }
  }
}
