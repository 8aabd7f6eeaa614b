/// The purpose of a reader. A lower value outranks a higher one.
public enum FetchPriority: Int, Hashable, Sendable, Comparable {
  /// A person watches the recording.
  case play
  /// A person will watch the recording, or wants the file.
  case preload
  /// No player waits for the bytes. Holes are filled while nothing else is wanted.
  case fill

  public static func < (one: FetchPriority, other: FetchPriority) -> Bool { one.rawValue < other.rawValue }
}
