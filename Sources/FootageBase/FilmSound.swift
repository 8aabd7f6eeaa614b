/// A coding of sound that every player of HLS which plays films takes from fragments, and of which Footage makes
/// silence.
package enum SoundCoding: String, Hashable, Sendable, CaseIterable {
  case aac, opus, flac
}

/// The sound of a film's parts: that of the recording, or something else in its place.
///
/// A player stops where the tracks of a film change. The film of a camera therefore has the same tracks from its
/// beginning to its end: a recording whose sound is missing, or has another coding, is listed with silence.
package enum FilmSound: Hashable, Sendable {
  /// The sound of the recording, if it has any.
  case own
  /// Silence in a coding, in a form that is the same for all recordings.
  case silence(SoundCoding)
  /// No sound: pictures alone.
  case mute

  private static let silencePrefix = "silent-"
  private static let mutedName = "mute"

  /// The name in addresses and entity tags, of letters and hyphens; nil for the recording's own sound.
  package var name: String? {
    switch self {
    case .own: nil
    case .silence(let coding): Self.silencePrefix + coding.rawValue
    case .mute: Self.mutedName
    }
  }

  /// The folder of the parts below the address of the film: empty, or a name and a slash.
  package var folder: String { name.map { "\($0)/" } ?? "" }

  /// - Returns: nil if the text is not a name.
  package init?(name: some StringProtocol) {
    if name == Self.mutedName {
      self = .mute
    } else if name.hasPrefix(Self.silencePrefix),
      let coding = SoundCoding(rawValue: String(name.dropFirst(Self.silencePrefix.utf8.count)))
    {
      self = .silence(coding)
    } else {
      return nil
    }
  }
}
