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
  let sampleCount: Int
  /// The sum of the samples' durations, in ticks.
  let decodingDuration: Int64
  /// The duration of the presentation in seconds.
  let duration: Double

  init(
    _ track: Track, sampleCount: Int, decodingDuration: Int64, duration: Double
  ) {
    id = track.id
    handler = track.handler
    timescale = track.timescale
    sampleEntry = track.sampleEntries.first
    matrix = track.matrix
    self.sampleCount = sampleCount
    self.decodingDuration = decodingDuration
    self.duration = duration
  }

  /// Creates a summary from the track's own sample table.
  init(_ track: Track, in movie: Movie) {
    self.init(
      track, sampleCount: track.samples.count, decodingDuration: track.samples.decodingDuration,
      duration: track.edits.presentationDuration(
        movieTimescale: movie.header.timescale, timescale: track.timescale,
        mediaEnd: track.samples.compositionEnd(in: movie.buffer)))
  }

  /// The number of samples a second. It is the mean, or the rate that the bit stream states if that is almost the same.
  /// It is nil if neither is known.
  ///
  /// The stated rate is preferred because times in milliseconds turn 30 into 30.002.
  var rate: Double? {
    let nominal = sampleEntry?.nominalFrameRate
    guard sampleCount > 0, decodingDuration > 0 else { return nominal }
    let mean = Double(sampleCount) * Double(timescale) / Double(decodingDuration)
    if let nominal, (mean - nominal).magnitude < nominal / 200 { return nominal }
    return mean
  }
}

extension MovieSummary {
  init(_ header: MovieHeader, tracks: [TrackSummary]) {
    func first(_ handler: FourCharacterCode) -> TrackSummary? {
      tracks.first { $0.handler == handler && $0.sampleCount > 0 } ?? tracks.first { $0.handler == handler }
    }
    let videoTrack = first("vide")
    let audioTrack = first("soun")
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
      })
  }
}
