/// How much of a file is looked at, at most: nobody needs more, and a hostile file gets no more.

enum Limits {
  /// In bytes.
  static let movieBox: UInt64 = 256 << 20
  /// In bytes; a real one holds a few brands.
  static let fileTypeBox: UInt64 = 64 << 10
  /// In bytes, of one `moof`.
  static let fragmentBox: UInt64 = 16 << 20
  /// In bytes, of a `meta` that is looked into for file offsets.
  static let metaBox: UInt64 = 16 << 20
  /// Boxes outside of fragments.
  static let topLevelBoxes = 1 << 18
  static let fragments = 4 << 20
  static let tracks = 256
  /// In all tracks together.
  static let samples = 50_000_000
  static let sampleEntries = 64
  /// NAL units of one sample that are looked at for parameter sets, which come before the picture's own.
  static let parameterSetUnits = 256
  /// In bytes, of a sample that is looked through for start codes.
  static let parameterSetBytes: UInt64 = 64 << 10
  static let edits = 65_536
  /// Children of one box, the samples' own tables aside.
  static let children = 4_096
  /// A run whose samples have no size of their own and a default of 0: it would cost memory and say nothing.
  static let emptySamplesPerRun = 64
  /// In bytes, for the tables of a movie that is put together from fragments.
  static let synthesizedMovie = 256 << 20
  /// In ticks: far beyond any recording, and sums of a few stay below 2^63.
  static let ticks: Int64 = 1 << 60
  /// A fragmented recording whose times begin later than this, in seconds, is moved to begin in its first second:
  /// recorders that count from their boot would else give players hours of nothing.
  static let lateStart: Int64 = 10
  /// Of a box in the tree that `inspect` shows.
  static let depth = 16
  /// Boxes in the tree that `inspect` shows.
  static let inspectedBoxes = 4_096
}
