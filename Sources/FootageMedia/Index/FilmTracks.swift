internal import FootageBase

/// The tracks of a movie that a film shows: the first enabled video track, and the first enabled sound track if players
/// support its codec.
struct FilmTracks {
  /// The video track, or the sound track if there are no pictures.
  let leading: Track
  /// The sound track beside the pictures.
  let sound: Track?
  let leadingTiming: TrackTiming
  let soundTiming: TrackTiming?
  private let movieTimescale: UInt32
  /// The tracks that are left out, one sentence each.
  private(set) var notes: [String] = []
  /// The reason why there is no film, or nil if there is one.
  private(set) var refusal: String?

  /// - Returns: nil if there is nothing to see or to hear.
  init?(_ movie: Movie) {
    func first(_ handler: FourCharacterCode) -> Track? {
      let all = movie.tracks.filter { $0.handler == handler && $0.samples.count > 0 }
      return all.first { $0.isEnabled(in: movie.buffer) } ?? all.first
    }
    let pictures = first("vide")
    var heard = first("soun")
    var notes: [String] = []
    if let track = heard, let reason = track.reasonToLeaveOutOfFilms {
      notes.append("films have no sound: \(reason)")
      heard = nil
    }
    guard let leading = pictures ?? heard else { return nil }
    let sound = pictures == nil ? nil : heard
    self.leading = leading
    self.sound = sound
    movieTimescale = movie.header.timescale
    leadingTiming = TrackTiming(leading.edits, timescale: leading.timescale, movieTimescale: movieTimescale)
    soundTiming = sound.map {
      TrackTiming($0.edits, timescale: $0.timescale, movieTimescale: movie.header.timescale)
    }
    self.notes = notes
    let tracks = [leading] + (sound.map { [$0] } ?? [])
    if tracks.contains(where: { $0.edits.mediaEdits.count > 1 }) {
      refusal =
        "no film can be made of it: its edit list shows more than one part of the media, which fragments cannot express"
    } else if tracks.contains(where: { $0.sampleEntries.contains(where: \.isEncrypted) }) {
      refusal = "no film can be made of it: its samples are encrypted"
    } else if tracks.contains(where: { $0.samples.decodingDuration > Limits.ticks }) {
      return nil
    }
  }

  /// True if key frames have to be searched for the parameter sets that a decoder needs.
  var needsParameterSets: Bool { leading.needsParameterSets }

  func leadingTrack(_ builder: SampleIndexBuilder) -> IndexedTrack {
    IndexedTrack(
      id: leading.id, handler: leading.handler, timing: leadingTiming, leastOffset: builder.leastOffset,
      edits: leading.edits, movieTimescale: movieTimescale)
  }

  func soundTrack(_ builder: SampleIndexBuilder) -> IndexedTrack? {
    guard let sound, let soundTiming else { return nil }
    return IndexedTrack(
      id: sound.id, handler: sound.handler, timing: soundTiming, leastOffset: builder.leastSoundOffset,
      edits: sound.edits, movieTimescale: movieTimescale)
  }
}

extension Track {
  /// True if the track's sample entries lack parameter sets that a decoder needs.
  var needsParameterSets: Bool { handler == "vide" && ParameterSetSearch(sampleEntries) != nil }

  /// The reason why players of fragments do not support this sound, or nil if they do.
  fileprivate var reasonToLeaveOutOfFilms: String? {
    if sampleEntries.count > 1 { return "the sound track has \(sampleEntries.count) sample descriptions" }
    guard let entry = sampleEntries.first else { return "the sound track has no sample description" }
    let isPlayed = Self.playedSound.contains { entry.codec == $0 || entry.codec.hasPrefix("\($0).") }
    return isPlayed ? nil : "players do not support '\(entry.codec)' in fragments"
  }

  /// The codecs of sound that players support in fragments, by their RFC 6381 names: AAC, MP3, and those with a sample
  /// entry of their own.
  private static let playedSound = ["mp4a.40", "mp4a.69", "mp4a.6B", "mp4a.6b", "Opus", "ac-3", "ec-3", "fLaC", "alac"]
}
