package import FootageSystem

/// What the machine does not give an app: a sentence for people, and what it comes to for a program.
public struct SystemFailure: Hashable, Sendable, CustomStringConvertible {
  /// What has run out.
  public enum Reason: Hashable, Sendable {
    /// The process, or the whole machine, has as many files and connections open as it may.
    case descriptors
    /// The process, or its user, has as many threads as it may.
    case threads
    case memory
    /// Whatever else the description says.
    case other
  }

  public let reason: Reason
  /// What failed, and why.
  public let description: String

  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  package init(_ error: SystemError) {
    let reason: Reason =
      switch error.number {
      case .tooManyOpenFiles, .tooManyOpenFilesInAll: .descriptors
      // What `pthread_create` says of a limit (man 3 pthread_create).
      case .wouldBlock: .threads
      case .exhaustedMemory: .memory
      default: .other
      }
    self.init(reason, error.description)
  }
}
