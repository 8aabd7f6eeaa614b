/// A track's samples, one after the other, in decoding order.
struct SampleWalk {
  private var cursor: SampleCursor
  private let buffer: BoxBuffer
  /// Of the cursor's, in the order of the track.
  private var coming = SampleQueue()

  /// So many are taken from the cursor at once.
  private static let step = 1_024

  init(_ track: Track, of tables: MovieTables) {
    buffer = tables.movie.buffer
    cursor = SampleCursor(track, in: buffer, map: FilePlaces(tables.composition))
  }

  /// - Returns: nil after the last one.
  /// - Throws: `MP4Error` where it lies outside of the recorder's file.
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
