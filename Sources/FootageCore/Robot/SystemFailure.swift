package import FootageSystem

/// The reason why the machine denies an app a resource: a sentence for people, and a reason for programs.
public struct SystemFailure: Hashable, Sendable, CustomStringConvertible {
  /// The resource that has run out.
  public enum Reason: Hashable, Sendable {
    /// The process, or the whole machine, has reached its limit of open files and connections.
    case descriptors
    /// The process, or its user, has reached its limit of threads.
    case threads
    case memory
    /// Another reason, which the description states.
    case other
  }

  public let reason: Reason
  /// A sentence that says what failed, and why.
  public let description: String

  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }

  package init(_ error: SystemError) {
    let reason: Reason =
      switch error.number {
      case .tooManyOpenFiles, .tooManyOpenFilesInAll: .descriptors
      // This is how `pthread_create` reports a limit (man 3 pthread_create).
      case .wouldBlock: .threads
      case .exhaustedMemory: .memory
      default: .other
      }
    self.init(reason, error.description)
  }
}
