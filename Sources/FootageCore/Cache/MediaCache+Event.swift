extension MediaCache {
  /// Something that an app may want to show, or to write into its log. Nothing has to be done about it.
  public enum Event: Hashable, Sendable, CustomStringConvertible {
    /// What could not be kept, or was lost, in a sentence.
    case warning(String)

    public var description: String {
      switch self {
      case .warning(let words): words
      }
    }
  }
}
