/// How much of a file is looked at, at most: nobody needs more, and a hostile file gets no more.
enum Limits {
  /// In bytes; a day of 60 pictures a second with sound takes about 130 MiB. It is in memory twice, as it is and as it
  /// is served.
  static let movieBox: UInt64 = 176 << 20
  /// In bytes, of a `moov` that is served: one that was put together from fragments holds more than the recorder's.
  static let servedMovieBox: UInt64 = movieBox + UInt64(synthesizedMovie)
  /// In bytes; a larger `moov` is looked through for zeros before it is read.
  static let unquestionedMovieBox: UInt64 = 32 << 20
  /// In bytes, of a `moov`: pages of nothing but zeros, which cost no disk but as much memory as tables do.
  static let zerosInMovieBox: UInt64 = 16 << 20
  /// In bytes; a longer preamble is written with other chunks for sound, if that makes it shorter. Players load it
  /// before the first picture, and iOS starts nothing with 35 MB of it.
  static let unquestionedPreamble = 16 << 20
  /// In bytes; a real one holds a few brands.
  static let fileTypeBox: UInt64 = 64 << 10
  /// In bytes, of one `moof`.
  static let fragmentBox: UInt64 = 16 << 20
  /// In bytes, of a `meta` that is looked into for file offsets.
  static let metaBox: UInt64 = 16 << 20
  /// Boxes outside of fragments, and fragments that bring no samples: they cost time and say nothing.
  static let topLevelBoxes = 1 << 18
  /// For each fragment with samples so many boxes more, itself and its media among them; real ones have two to six.
  static let boxesPerFragment = 8
  /// A day and a half with a fragment for each of 30 frames a second.
  static let fragments = 4 << 20
  static let tracks = 256
  /// In all tracks together.
  static let samples = 50_000_000
  static let sampleEntries = 64
  /// NAL units of one sample that are looked at for parameter sets, which come before the picture's own.
  static let parameterSetUnits = 256
  /// In bytes, of a NAL unit that is read for the parameter set that it may hold.
  static let parameterSetPrefix = 4_096
  /// NAL units of one sample that are looked at for its first slice.
  static let unitsBeforeSlice = 32
  /// In bytes, of a sample that is looked through for start codes.
  static let parameterSetBytes: UInt64 = 64 << 10
  static let edits = 65_536
  /// Children of one box, the samples' own tables aside.
  static let children = 4_096
  /// A run whose samples have no size of their own and a default of 0: it would cost memory and say nothing.
  static let emptySamplesPerRun = 64
  /// Samples without bytes in all fragments together: they take no room in the file, and four bytes each in what is
  /// served.
  static let emptySamples = 1 << 20
  /// In bytes, for the tables of a movie that is put together from fragments.
  static let synthesizedMovie = 256 << 20
  /// In bytes, of the index of a recording's samples: five times a day of 30 pictures a second with sound.
  static let sampleIndex = 128 << 20
  /// In bytes, of what an index holds besides its rows and samples.
  static let sampleIndexHeader: UInt64 = 1 << 20
  /// In ticks: far beyond any recording, and sums of a few stay below 2^63.
  static let ticks: Int64 = 1 << 60
  /// A fragmented recording whose times begin later than this, in seconds, is moved to begin in its first second:
  /// recorders that count from their boot would else give players hours of nothing.
  static let lateStart: Int64 = 10
  /// Of a box in the tree that `inspect` shows.
  static let depth = 16
  /// Boxes in the tree that `inspect` shows.
  static let inspectedBoxes = 4_096
  /// Samples before the first key frame, of which the parameter sets are looked for.
  static let samplesBeforeKeyFrame = 65_536
  /// Samples that `inspect` counts, in all tracks together: a day of 60 pictures a second with sound.
  static let inspectedSamples = 10_000_000
  /// Samples that are passed over for one page of a list.
  static let samplesPassed = 1 << 20
  /// Groups of pictures of which `inspect` remembers how long each is: a day and a half of nothing but key frames, 30 a
  /// second.
  static let inspectedGroups = 4 << 20
}
