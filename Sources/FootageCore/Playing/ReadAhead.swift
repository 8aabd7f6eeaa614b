/// The amount of a recording that is fetched ahead of the bytes that its players have read. A paused player reads
/// nothing, so no more than this is fetched for it.
public enum ReadAhead: Hashable, Sendable {
  /// Seconds of the recording. While it is unknown which bytes belong to which second, 16 MiB are fetched ahead.
  case seconds(Double)
  /// Bytes, but at least a quarter of a MiB.
  case bytes(UInt64)
  /// Everything up to the recording's end.
  case all
}
