/// The form in which an Apple player gets a recording.
public enum PlayerSource: Hashable, Sendable {
  /// The recording as it is.
  case file
  /// The film of the recording, by HLS. It begins with a few seconds, however long the recording is.
  case film

  /// The largest number of bytes before the media (`ftyp` and `moov`). Recordings with 33.9 MB were seen to play in
  /// iOS, and recordings with 35.5 MB were not.
  public static let largestPreamble: UInt64 = 32 << 20
}
