extension MediaCache {
  /// Something that an app may want to show, or to write into its log. Nothing has to be done about it.
  public enum Event: Hashable, Sendable, CustomStringConvertible {
    /// What could not be kept, or was lost, in a sentence.
    case warning(String)
    /// All of a version is on disk for good: it plays without its robot.
    case completed(RecordingKey, RecordingVersion)
    /// A version has gone: to make room, by a person's word, or because a newer one is complete.
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
