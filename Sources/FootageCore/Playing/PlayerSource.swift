/// As what a player of Apple's is given a recording.
public enum PlayerSource: Hashable, Sendable {
  /// As it is.
  case file
  /// As its film, by HLS: it begins with a few seconds, however long the recording is.
  case film

  /// Of what stands before the media (`ftyp` and `moov`), in bytes: 33.9 MB were seen to play in iOS, and 35.5 MB not to.
  public static let largestPreamble: UInt64 = 32 << 20
}
