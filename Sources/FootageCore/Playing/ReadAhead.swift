/// How much of a recording is fetched ahead of where its players have read. A player that is paused takes nothing, so
/// that no more than this comes for it.
public enum ReadAhead: Hashable, Sendable {
  /// Seconds of the recording, by its own index; 16 MiB until that is here, or where it has none.
  case seconds(Double)
  /// Bytes; a quarter of a MiB at least.
  case bytes(UInt64)
  /// Up to the recording's end.
  case all
}
