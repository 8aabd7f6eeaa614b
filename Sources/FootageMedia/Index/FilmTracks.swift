internal import FootageBase

/// The tracks of a movie that a film shows: one video track, and the first enabled sound track if players support its
/// codec.
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
  /// True if an edit list shows several separate parts of a track.
  let isCut: Bool
  /// The reason why there is no film, or nil if there is one.
  private(set) var refusal: String?

  /// - Parameter track: the number of the video track, from 1 on; nil for the one that most players can show.
  /// - Returns: nil if there is nothing to see or to hear, or no video track with that number.
  init?(_ movie: Movie, track: Int? = nil) {
    let pictures = movie.chosenVideoTrack(track)
    if track != nil, pictures == nil { return nil }
    let sounds = movie.tracks.filter { $0.handler == "soun" && $0.samples.count > 0 }
    var heard = sounds.first { $0.isEnabled } ?? sounds.first
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
    isCut = tracks.contains { $0.edits.mediaEdits.count > 1 }
    if isCut {
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

  /// Returns the end of what the edit list shows of a track, in the track's ticks from the beginning of the
  /// presentation, or nil if the track is shown to its end.
  func shownEnd(of track: Track, _ timing: TrackTiming) -> Int64? {
    guard track.edits.mediaEdits.count == 1, let edit = track.edits.mediaEdits.first, edit.duration > 0 else {
      return nil
    }
    let shown = edit.duration.rescaled(from: movieTimescale, to: track.timescale, rounding: .up)
    return edit.mediaTime + Int64(clamping: shown) - timing.origin
  }

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
    if samples.count > Limits.samples { return "the sound track has more than \(Limits.samples) samples" }
    if sampleEntries.count > 1 { return "the sound track has \(sampleEntries.count) sample descriptions" }
    guard let entry = sampleEntries.first else { return "the sound track has no sample description" }
    let isPlayed = Self.playedSound.contains { entry.codec == $0 || entry.codec.hasPrefix("\($0).") }
    return isPlayed ? nil : "players do not support '\(entry.codec)' in fragments"
  }

  /// The codecs of sound that players support in fragments, by their RFC 6381 names: AAC, MP3, and those with a sample
  /// entry of their own.
  private static let playedSound = ["mp4a.40", "mp4a.69", "mp4a.6B", "mp4a.6b", "Opus", "ac-3", "ec-3", "fLaC", "alac"]
}
