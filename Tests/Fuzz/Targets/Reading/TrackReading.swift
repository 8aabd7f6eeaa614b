/// The samples of a track, as a reader finds them that shares no code with what is tested.

struct SampleReading: Equatable {
  /// In the file; empty for a sample without bytes.
  let bytes: Range<Int>
  /// Decoding time, in the track's ticks.
  let time: Int64
  /// From the decoding time to when it is shown, in the track's ticks.
  let compositionOffset: Int64
  let isKeyFrame: Bool
  /// From 1, into `stsd`.
  let description: UInt32
}

struct TrackReading {
  let id: UInt32
  let handler: [UInt8]
  let timescale: UInt32
  var samples: [SampleReading] = []
  /// Empty edits at the beginning, in the movie's ticks, and where the first other one begins, in the track's; nil for
  /// an edit list that says more, or what cannot be.
  var edits: (empty: UInt64, mediaTime: Int64)? = (0, 0)
  /// Where the next sample stands unless its fragment says otherwise, in ticks.
  var endTime: Int64 = 0
  /// Why its tables say two things, so that no reading of them is the right one.
  var contradiction: String?

  /// No more are looked at.
  static let sampleLimit = 1 << 16
}

struct MovieReading {
  let timescale: UInt32
  var tracks: [TrackReading]
  /// Whether there are fragments.
  var isFragmented = false
  /// Whether all fragments could be read.
  var isWhole = true
}
