/// The amount of a recording that is fetched ahead of where its players have read. A paused player takes nothing, so
/// that no more than this is fetched for it.
public enum ReadAhead: Hashable, Sendable {
  /// Seconds of the recording, by its own index. Until that is here, or if there is none, 16 MiB are fetched ahead.
  case seconds(Double)
  /// Bytes, but at least a quarter of a MiB.
  case bytes(UInt64)
  /// Everything up to the recording's end.
  case all
}
