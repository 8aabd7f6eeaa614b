internal import FootageBase

/// Which tracks of a movie a film shows: the first enabled one of pictures, and the first enabled one of sound that
/// players take.
struct FilmTracks {
  /// The pictures, or the sound where there are none.
  let leading: Track
  /// Beside pictures.
  let sound: Track?
  let leadingTiming: TrackTiming
  let soundTiming: TrackTiming?
  private let movieTimescale: UInt32
  /// What is left out, a sentence each.
  private(set) var notes: [String] = []
  /// Why there is no film; nil where there is one.
  private(set) var refusal: String?

  /// - Returns: nil where there is nothing to see or to hear.
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
      refusal = "there is no film of it: its edit list shows more than one stretch, which fragments cannot say"
    } else if tracks.contains(where: { $0.sampleEntries.contains(where: \.isEncrypted) }) {
      refusal = "there is no film of it: its samples are encrypted"
    } else if tracks.contains(where: { $0.samples.decodingDuration > Limits.ticks }) {
      return nil
    }
  }

  /// Whether key frames have to be looked into for what a decoder needs.
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
  /// Whether its sample entries do not say all that a decoder needs.
  var needsParameterSets: Bool { handler == "vide" && ParameterSetSearch(sampleEntries) != nil }

  /// Why players that read fragments would not take this sound; nil where they do.
  fileprivate var reasonToLeaveOutOfFilms: String? {
    if sampleEntries.count > 1 { return "it is described in \(sampleEntries.count) ways" }
    guard let entry = sampleEntries.first else { return "nothing describes it" }
    let isPlayed = Self.playedSound.contains { entry.codec == $0 || entry.codec.hasPrefix("\($0).") }
    return isPlayed ? nil : "players take no '\(entry.codec)' in fragments"
  }

  /// AAC, MP3, and what has an entry of its own, as RFC 6381 names them.
  private static let playedSound = ["mp4a.40", "mp4a.69", "mp4a.6B", "mp4a.6b", "Opus", "ac-3", "ec-3", "fLaC", "alac"]
}
