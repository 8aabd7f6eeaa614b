/// What a reader is there for; the lower outranks the higher.
public enum FetchPriority: Int, Hashable, Sendable, Comparable {
  /// Somebody watches.
  case play
  /// Somebody will watch, or wants the file.
  case preload
  /// Nobody waits: holes are filled while nothing else is wanted.
  case fill

  public static func < (one: FetchPriority, other: FetchPriority) -> Bool { one.rawValue < other.rawValue }
}
