package import FootageBase

/// A key frame of a recording as an MP4 of its own. A decoder needs no other picture to decode it.
package struct KeyFrame: Sendable, Hashable {
  /// The version of this view, which is part of entity tags. It changes whenever the bytes of the view change.
  package static let viewVersion: UInt8 = 2

  /// An MP4 of exactly one sample. Source 0 is the recorder's file.
  package let composition: Composition
  /// The offset of the sample's first byte in the recorder's file. It is different for every picture.
  package let place: UInt64

  /// Creates a view of the sync sample that is shown at a time of the presentation, or of the last one before that. If
  /// all are later, it is the first one.
  ///
  /// Rotation, colors and parameter sets are those of the recording. The sample's bytes are a range of the recorder's
  /// file. The rest is literal, about 780 bytes.
  ///
  /// - Parameter time: the time. A time after the end means the last sync sample.
  /// - Throws: `ViewError` if the recording has no such picture, or one with which no decoder can begin.
  package init(at time: DecimalSeconds, of index: SampleIndex, _ source: some ByteSource) throws(ViewError) {
    guard index.leading.handler == "vide" else { throw .noVideo }
    let shown = index.leading.presentation.mediaTime(at: time) - index.leading.timing.origin
    var search = KeyFrameSearch(index)
    let found = try mapError(ViewError.index, try search.last(shownAtOrBefore: shown, source))
    guard let found, found.sample.size > 0 else { throw .noKeyFrame }
    guard found.row.missing.isEmpty else { throw .noParameterSets(missing: "\(found.row.missing)") }
    composition = try Self.composition(of: found.sample, found.row, index)
    place = found.sample.offset
  }

  private static func composition(
    of sample: IndexedSample, _ row: BlockRow, _ index: SampleIndex
  ) throws(ViewError) -> Composition {
    do throws(MP4Error) {
      let movie = try index.initializations[row.initialization].movie(ofAll: false)
      guard let track = movie.tracks.first else { throw .nothingToPlay(BoxPlace("moov", at: 0)) }
      var part = SampleMovie.Part(track)
      // The duration is in the track's ticks, so that the picture lasts exactly as long as in the recording.
      part.shownDuration = UInt64(max(1, sample.duration))
      part.append(
        at: 0, size: sample.size, compositionOffset: 0, duration: Int64(max(1, sample.duration)), isSync: true)
      let head = try SampleMovie(
        movie: movie, isQuickTime: index.isQuickTime, timescale: track.timescale, parts: [part],
        mediaLength: UInt64(sample.size)
      ).head()
      return Composition(head, then: [sample.bytes])
    } catch {
      throw .broken(error)
    }
  }
}

/// A search for sync samples by the time at which they are shown.
struct KeyFrameSearch {
  typealias Found = (sample: IndexedSample, row: BlockRow)

  private let index: SampleIndex

  /// The number of block rows that are read at once.
  private static let rowsAtOnce = 256

  init(_ index: SampleIndex) { self.index = index }

  /// Returns the last sync sample that is shown at or before a time. If there is none, it returns the first of all. The
  /// result is nil if the recording has no sync sample.
  ///
  /// - Parameter time: the time in ticks from the beginning of the presentation.
  mutating func last(
    shownAtOrBefore time: Int64, _ source: some ByteSource
  ) throws(SampleIndexError) -> Found? {
    var end = min(index.blockCount, try index.block(at: time, source) + 1)
    while end > 0 {
      let start = max(0, end - Self.rowsAtOnce)
      let rows = try index.blockRows(start..<end, source)
      for (offset, row) in rows.enumerated().reversed() where row.beginsWithKeyFrame || row.hasMoreKeyFrames {
        let block = try index.blocks((start + offset)..<(start + offset + 1), source).first
        let found = block?.leading.last { $0.isSync && index.leading.timing.presentationTime(of: $0) <= time }
        if let found { return (found, row) }
      }
      end = start
    }
    return try first(source)
  }

  private func first(_ source: some ByteSource) throws(SampleIndexError) -> Found? {
    for start in stride(from: 0, to: index.blockCount, by: Self.rowsAtOnce) {
      let rows = try index.blockRows(start..<min(start + Self.rowsAtOnce, index.blockCount), source)
      for (offset, row) in rows.enumerated() where row.beginsWithKeyFrame || row.hasMoreKeyFrames {
        let block = try index.blocks((start + offset)..<(start + offset + 1), source).first
        if let found = block?.leading.first(where: \.isSync) { return (found, row) }
      }
    }
    return nil
  }
}
