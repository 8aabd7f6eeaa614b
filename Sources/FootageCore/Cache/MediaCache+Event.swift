extension MediaCache {
  /// An event that an app may want to show, or to write into its log. No reaction is necessary.
  public enum Event: Hashable, Sendable, CustomStringConvertible {
    /// Cached data could not be kept, or was lost. The text is a sentence.
    case warning(String)
    /// All of a version is durable on disk, so that it plays without its robot.
    case completed(RecordingKey, RecordingVersion)
    /// A version was removed: to make room, at a person's request, or because a newer one is complete.
    case removed(RecordingKey, RecordingVersion)

    public var description: String {
      switch self {
      case .warning(let words): words
      case .completed(let key, _): "\(key) is completely cached"
      case .removed(let key, _): "\(key) was removed from the cache"
      }
    }
  }
}
