package import FootageBase

/// One picture of a recording that a decoder needs no other for, as an MP4 of its own.
package struct KeyFrame: Sendable, Hashable {
  /// Changes whenever the bytes of such a view change: it goes into their entity tags.
  package static let viewVersion: UInt8 = 2

  /// An MP4 of exactly one sample. Source 0 is the recorder's file.
  package let composition: Composition
  /// Of the sample's first byte, in the recorder's file: no other picture has it.
  package let place: UInt64

  /// The sync sample of the pictures that is shown at a time of the presentation, or the last one before that; the first
  /// where all are later.
  ///
  /// Rotation, colours and parameter sets are the recording's. The sample's bytes are a range of the recorder's file;
  /// the rest is literal, some 780 bytes.
  ///
  /// - Parameter time: beyond the end means the last sync sample.
  /// - Throws: `ViewError`: the recording has no such picture, or one that no decoder can begin with.
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
      // In the track's ticks, so that the picture lasts exactly as long as it did.
      part.shownDuration = UInt64(max(1, sample.duration))
      part.append(at: 0, size: sample.size, compositionOffset: 0, duration: max(1, sample.duration), isSync: true)
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

/// Finds sync samples by when they are shown.
struct KeyFrameSearch {
  typealias Found = (sample: IndexedSample, row: BlockRow)

  private let index: SampleIndex

  /// Of blocks that are looked at together.
  private static let rowsAtOnce = 256

  init(_ index: SampleIndex) { self.index = index }

  /// The sync sample that is shown last of those that are shown at or before a time; the first of all where there is
  /// none; nil where the recording has none.
  ///
  /// - Parameter time: in ticks, from the beginning of the presentation on.
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
