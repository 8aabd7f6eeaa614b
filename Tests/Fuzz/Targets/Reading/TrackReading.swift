/// The samples of a track, according to a reader that shares no code with the code under test.

struct SampleReading: Equatable {
  /// The range in the file; empty for a sample without bytes.
  let bytes: Range<Int>
  /// The decoding time, in the track's ticks.
  let time: Int64
  /// The time from decoding to display, in the track's ticks.
  let compositionOffset: Int64
  let isKeyFrame: Bool
  /// The number of the entry in `stsd`, from 1.
  let description: UInt32
}

struct TrackReading {
  let id: UInt32
  let handler: [UInt8]
  let timescale: UInt32
  var samples: [SampleReading] = []
  /// The length of the empty edits at the beginning, in the movie's ticks, and the time at which the first other edit
  /// begins, in the track's. It is nil for an edit list that contains more, or that is impossible.
  var edits: (empty: UInt64, mediaTime: Int64)? = (0, 0)
  /// The default time of the next sample, in ticks, unless its fragment gives another one.
  var endTime: Int64 = 0
  /// The contradiction in the tables because of which no reading of them is the right one.
  var contradiction: String?

  /// The largest number of samples that are examined.
  static let sampleLimit = 1 << 16
}

struct MovieReading {
  let timescale: UInt32
  var tracks: [TrackReading]
  /// True if there are fragments.
  var isFragmented = false
  /// True if all fragments could be read.
  var isWhole = true
}
