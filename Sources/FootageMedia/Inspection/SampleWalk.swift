/// A walk over a track's samples, in decoding order.
struct SampleWalk {
  private var cursor: SampleCursor
  private let buffer: BoxBuffer
  /// The samples that were taken from the cursor and not returned yet.
  private var coming = SampleQueue()

  /// The number of samples that are taken from the cursor at once.
  private static let step = 1_024

  init(_ track: Track, of tables: MovieTables) {
    buffer = tables.movie.buffer
    cursor = SampleCursor(track, in: buffer, map: FilePlaces(tables.composition))
  }

  /// - Returns: the next sample, or nil after the last one.
  /// - Throws: `MP4Error` if a sample lies outside of the recorder's file.
  mutating func next() throws(MP4Error) -> IndexedSample? {
    if coming.isEmpty {
      guard !cursor.isAtEnd else { return nil }
      try cursor.move(Self.step, to: &coming, in: buffer)
    }
    let sample = coming[0]
    coming.removeFirst(1)
    return sample
  }
}
