internal import FootageBase

/// What is told of a track once its samples are known.
struct TrackSummary: Sendable, Hashable {
  let id: UInt32
  let handler: FourCharacterCode
  /// Ticks a second.
  let timescale: UInt32
  /// The first; nil where the track has none.
  let sampleEntry: SampleEntry?
  let matrix: DisplayMatrix
  let sampleCount: Int
  /// Sum of the samples' durations, in ticks.
  let decodingDuration: Int64
  /// Of the presentation, in seconds.
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

  /// As the track's own sample table has it.
  init(_ track: Track, in movie: Movie) {
    self.init(
      track, sampleCount: track.samples.count, decodingDuration: track.samples.decodingDuration,
      duration: track.edits.presentationDuration(
        movieTimescale: movie.header.timescale, timescale: track.timescale,
        mediaEnd: track.samples.compositionEnd(in: movie.buffer)))
  }

  /// Samples a second: the mean, unless the bit stream's own word is as good as the same; nil where nothing tells.
  ///
  /// Times in milliseconds make 30.002 of 30.
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
