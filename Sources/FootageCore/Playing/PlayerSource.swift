/// The form in which an Apple player gets a recording.
public enum PlayerSource: Hashable, Sendable {
  /// The recording's file.
  case file
  /// The film of the recording, by HLS. A player needs only a few seconds of it to begin, however long the recording
  /// is.
  case film

  /// The largest number of bytes before the media (`ftyp` and `moov`). In tests, iOS played recordings with 33.9 MB,
  /// and did not play recordings with 35.5 MB.
  public static let largestPreamble: UInt64 = 32 << 20
}
