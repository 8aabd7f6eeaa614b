/// Limits on the parts of a file that are read. Real recordings stay below them, and hostile files cannot exceed them.
enum Limits {
  /// The largest `moov` that is read, in bytes. A day of 60 pictures a second with sound takes about 130 MiB. The
  /// `moov` is in memory twice: as it was recorded and as it is served.
  static let movieBox: UInt64 = 176 << 20
  /// The largest served `moov`, in bytes. A `moov` that is built from fragments is larger than the recorder's.
  static let servedMovieBox: UInt64 = movieBox + UInt64(synthesizedMovie)
  /// The largest `moov`, in bytes, that is read without counting its zeros first.
  static let unquestionedMovieBox: UInt64 = 32 << 20
  /// The largest number of bytes in pages of zeros that a `moov` may contain. Such pages take no space on the disk, but
  /// as much memory as other pages.
  static let zerosInMovieBox: UInt64 = 16 << 20
  /// The longest preamble, in bytes, that keeps the recorder's arrangement of chunks. In a longer one, sound gets
  /// different chunks if that makes the preamble shorter. Players load the preamble before the first picture, and iOS
  /// does not play a file with 35 MB of it.
  static let unquestionedPreamble = 16 << 20
  /// The largest `ftyp` that is read, in bytes. A real one holds a few brands.
  static let fileTypeBox: UInt64 = 64 << 10
  /// The largest `moof`, in bytes.
  static let fragmentBox: UInt64 = 16 << 20
  /// The largest `meta`, in bytes, that is searched for file offsets.
  static let metaBox: UInt64 = 16 << 20
  /// The largest number of boxes outside of fragments, plus fragments without samples. They take time to read and
  /// contain no media.
  static let topLevelBoxes = 1 << 18
  /// The number of boxes that are allowed in addition for each fragment with samples, including its `moof` and `mdat`.
  /// Real fragments have two to six.
  static let boxesPerFragment = 8
  /// The largest number of fragments: a day and a half with one fragment for each of 30 frames a second.
  static let fragments = 4 << 20
  static let tracks = 256
  /// The largest number of samples in all tracks together. Equal samples of sound count as one in each chunk or run.
  static let samples = 50_000_000
  /// The longest time, in ticks, of a run of equal samples that are counted as one. Plain sound has a sample for each
  /// tick, and with 50 million such runs the sum of all ticks is below 2^60.
  static let equalSampleTicks: UInt64 = 1 << 34
  static let sampleEntries = 64
  /// The largest number of NAL units of one sample that are searched for parameter sets. These come before the
  /// picture's own units.
  static let parameterSetUnits = 256
  /// The largest number of bytes of a NAL unit that are read for a parameter set.
  static let parameterSetPrefix = 4_096
  /// The largest number of NAL units of one sample that are searched for its first slice.
  static let unitsBeforeSlice = 32
  /// The largest number of bytes of a sample that are searched for start codes.
  static let parameterSetBytes: UInt64 = 64 << 10
  static let edits = 65_536
  /// The largest number of children of one box that `BoxBuffer.boxes` returns. `forEachBox` has no such limit.
  static let children = 4_096
  /// The largest number of samples in a run without sizes of its own and with a default size of 0. Such samples take
  /// memory and contain no media.
  static let emptySamplesPerRun = 64
  /// The largest number of samples without bytes in all fragments together. They take no space in the file, but four
  /// bytes each in the served `moov`.
  static let emptySamples = 1 << 20
  /// The largest size of the tables of a movie that is built from fragments, in bytes.
  static let synthesizedMovie = 256 << 20
  /// The largest size of a recording's sample index, in bytes: five times that of a day of 30 pictures a second with
  /// sound.
  static let sampleIndex = 128 << 20
  /// The largest size of the parts of a sample index other than its rows and samples, in bytes.
  static let sampleIndexHeader: UInt64 = 1 << 20
  /// The largest time, in ticks. It is far beyond any recording, and the sum of several such times stays below 2^63.
  static let ticks: Int64 = 1 << 60
  /// The largest depth of the tree of boxes that `inspect` shows.
  static let depth = 16
  /// The largest number of boxes in the tree that `inspect` shows.
  static let inspectedBoxes = 4_096
  /// The largest number of samples in which `inspect` looks for the first key frame, to read its parameter sets.
  static let samplesBeforeKeyFrame = 65_536
  /// The largest number of samples that `inspect` counts in all tracks together: a day of 60 pictures a second with
  /// sound.
  static let inspectedSamples = 10_000_000
  /// The largest number of samples that are examined for one page of a list.
  static let samplesPassed = 1 << 20
  /// The largest number of groups of pictures whose durations `inspect` remembers: a day and a half of key frames only,
  /// at 30 a second.
  static let inspectedGroups = 4 << 20
}
