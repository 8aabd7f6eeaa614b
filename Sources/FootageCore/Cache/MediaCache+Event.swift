extension MediaCache {
  /// An event that an app may want to show, or to write into its log. No reaction is necessary.
  public enum Event: Hashable, Sendable, CustomStringConvertible {
    /// Something could not be kept, or was lost. The text is a sentence.
    case warning(String)
    /// All of a version is on disk for good, so that it plays without its robot.
    case completed(RecordingKey, RecordingVersion)
    /// A version was removed: to make room, at a person's request, or because a newer one is complete.
    case removed(RecordingKey, RecordingVersion)

    public var description: String {
      switch self {
      case .warning(let words): words
      case .completed(let key, _): "\(key) is all in the cache"
      case .removed(let key, _): "\(key) has gone from the cache"
      }
    }
  }
}
