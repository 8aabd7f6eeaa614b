package import FootageBase

/// The sound of a recording, as far as a film of several recordings depends on it.
package enum SoundKind: Hashable, Sendable {
  /// Pictures without sound, or with sound that no film has.
  case absent
  /// Pictures with sound that a film of several recordings can have.
  case coded(SoundCoding)
  /// Pictures with sound that only the film of the recording has: browsers' own players stop where such sound comes, or
  /// there is no silence for the time in which it is missing.
  case other
  /// Sound without pictures.
  case alone
}
