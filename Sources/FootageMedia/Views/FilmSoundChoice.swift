package import FootageBase

/// The choice of the sound of a film of several recordings.
///
/// A browser's own player stops where a sound track begins or changes its codec. Such a film therefore has sound of one
/// codec from its beginning to its end, and silence where recordings have none of that codec.
package struct FilmSoundChoice: Sendable {
  /// True if the first recording decides, because recordings that come later may not change what is listed.
  private let isFixedByFirst: Bool
  /// The kinds of sound in their order, each with its time in milliseconds.
  private var times: [(kind: SoundKind, milliseconds: Int64)] = []

  /// - Parameter isGrowing: true if recordings may follow.
  package init(isGrowing: Bool) { isFixedByFirst = isGrowing }

  /// Adds a recording, in the order of the film.
  ///
  /// - Parameter milliseconds: the time for which the film shows it.
  package mutating func add(_ kind: SoundKind, milliseconds: Int64) {
    if let index = times.firstIndex(where: { $0.kind == kind }) {
      times[index].milliseconds += max(0, milliseconds)
    } else {
      times.append((kind, max(0, milliseconds)))
    }
  }

  /// True if all recordings that were added are listed with their own sound.
  package var isOwn: Bool { times.allSatisfy { sound(of: $0.kind) == .own } }

  /// Returns the sound with which recordings of a kind are listed, or nil if they are left out.
  ///
  /// Sound without pictures is left out of a film with pictures, in which no player goes on with it.
  package func sound(of kind: SoundKind) -> FilmSound? {
    guard hasPictures else { return .own }
    switch (kind, coding) {
    case (.alone, _): return nil
    case (.absent, nil): return .own
    case (_, nil): return .mute
    case (let kind, let coding?): return kind == .coded(coding) ? .own : .silence(coding)
    }
  }

  /// True if the film has pictures. A growing one that begins without pictures stays a film of all recordings.
  private var hasPictures: Bool {
    isFixedByFirst ? times.first.map { $0.kind != .alone } ?? true : times.contains { $0.kind != .alone }
  }

  /// The codec of the film's sound: the one that lasts longest, and the first of these.
  private var coding: SoundCoding? {
    var longest: (coding: SoundCoding, milliseconds: Int64)?
    for time in isFixedByFirst ? times.prefix(1) : times[...] {
      guard case .coded(let coding) = time.kind, longest.map({ time.milliseconds > $0.milliseconds }) ?? true else {
        continue
      }
      longest = (coding, time.milliseconds)
    }
    return longest?.coding
  }
}
