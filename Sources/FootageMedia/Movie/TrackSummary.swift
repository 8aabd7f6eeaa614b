internal import FootageBase

/// The facts about a track whose samples are known.
struct TrackSummary: Sendable, Hashable {
  let id: UInt32
  let handler: FourCharacterCode
  /// The number of ticks a second.
  let timescale: UInt32
  /// The first sample entry, or nil if the track has none.
  let sampleEntry: SampleEntry?
  let matrix: DisplayMatrix
  /// True if players show the track by default.
  let isEnabled: Bool
  let sampleCount: Int
  /// The number of samples a second while samples come, or nil if no sample has a duration.
  private let sampleRate: Double?
  /// The duration of the presentation in seconds.
  let duration: Double

  init(
    _ track: Track, timescale: UInt32, sampleCount: Int, rate: SampleRate, duration: Double
  ) {
    id = track.id
    handler = track.handler
    self.timescale = timescale
    sampleEntry = track.sampleEntries.first
    matrix = track.matrix
    isEnabled = track.isEnabled
    self.sampleCount = sampleCount
    sampleRate = rate.rate(timescale: timescale)
    self.duration = duration
  }

  /// Creates a summary from the track's own sample table.
  init(_ track: Track, in movie: Movie) {
    self.init(
      track, timescale: track.timescale, sampleCount: track.samples.count,
      rate: SampleRate(track.samples, in: movie.buffer),
      duration: track.edits.presentationDuration(
        movieTimescale: movie.header.timescale, timescale: track.timescale,
        mediaEnd: track.samples.compositionEnd(in: movie.buffer)))
  }

  /// The number of samples a second. Gaps do not count. If the bit stream states almost the same rate, it is
  /// that one. It is nil if neither is known.
  ///
  /// The stated rate is preferred because times in milliseconds turn 30 into 30.002.
  var rate: Double? {
    let nominal = sampleEntry?.nominalFrameRate
    guard let sampleRate else { return nominal }
    if let nominal, (sampleRate - nominal).magnitude < nominal / 200 { return nominal }
    return sampleRate
  }
}

extension MovieSummary {
  init(_ header: MovieHeader, tracks: [TrackSummary]) {
    let pictures = tracks.filter { $0.handler == "vide" }
    let shown = pictures.filter { $0.sampleCount > 0 }
    let best = VideoTrackChoice.best(
      shown.map { track in
        VideoTrackChoice.Candidate(
          codec: track.sampleEntry?.type ?? "????", isEnabled: track.isEnabled, sampleCount: track.sampleCount)
      })
    let videoTrack = best.map { shown[$0] } ?? pictures.first
    let sounds = tracks.filter { $0.handler == "soun" }
    let audioTrack = sounds.first { $0.sampleCount > 0 } ?? sounds.first
    let media = tracks.filter { $0.handler == "vide" || $0.handler == "soun" }
    let duration = (media.isEmpty ? tracks : media).map(\.duration).max() ?? 0
    self.init(
      creationTime: header.creationTime, duration: duration,
      video: videoTrack.flatMap { track in
        track.sampleEntry.map {
          VideoFormat(
            codec: $0.codec, width: $0.width, height: $0.height, frameRate: track.rate,
            rotation: DisplayMatrix.rotation(track: track.matrix, movie: header.matrix))
        }
      },
      audio: audioTrack.flatMap(\.sampleEntry).map {
        AudioFormat(codec: $0.codec, sampleRate: $0.sampleRate, channels: $0.channels)
      },
      videoTracks: zip(VideoTrack.numbers, shown).compactMap { number, track in
        track.sampleEntry.map {
          VideoTrack(number: number, codec: $0.codec, width: $0.width, height: $0.height, frameRate: track.rate)
        }
      })
  }
}
