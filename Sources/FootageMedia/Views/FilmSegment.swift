package import FootageBase

/// The segments of a film: fragments with the recorder's samples (RFC 8216 §3.3).
package enum FilmSegment {
  /// The version of this view, which is part of entity tags. It changes whenever the bytes of segments or init segments
  /// change.
  package static let viewVersion: UInt8 = 1

  /// Returns all samples of a segment: a head, and usually one range of the recorder's file, which is source 0.
  ///
  /// - Parameter number: the number of the segment, from 0.
  /// - Throws: `ViewError`, which is `.noSuchPart` if there are fewer segments.
  package static func segment(
    _ number: Int, of index: SampleIndex, _ source: some ByteSource
  ) throws(ViewError) -> Composition {
    guard let shift = index.shift else { throw .noFilm }
    guard number >= 0, number < index.segmentCount else { throw .noSuchPart }
    do throws(SampleIndexError) {
      let rows = try index.segmentRows(number..<min(number + 2, index.segmentCount), source)
      let end = rows.count > 1 ? rows[1].firstBlock : index.blockCount
      guard let row = rows.first, row.firstBlock < end else { throw .damaged("has a segment without samples") }
      let blocks = try index.blocks(row.firstBlock..<end, source)
      return try fragment(number: number, blocks, of: index, shift: shift)
    } catch {
      throw .index(error)
    }
  }

  /// Returns a fragment with all samples of a range of blocks.
  static func fragment(
    number: Int, _ blocks: [SampleBlock], of index: SampleIndex, shift: UInt32
  ) throws(SampleIndexError) -> Composition {
    var leading: [IndexedSample] = []
    var sound: [IndexedSample] = []
    leading.reserveCapacity(blocks.reduce(0) { $0 + $1.leading.count })
    sound.reserveCapacity(blocks.reduce(0) { $0 + $1.sound.count })
    for block in blocks {
      leading += block.leading
      sound += block.sound
    }
    return try fragment(number: number, leading: leading, sound: sound, of: index, shift: shift)
  }

  static func fragment(
    number: Int, leading: [IndexedSample], sound: [IndexedSample], of index: SampleIndex, shift: UInt32
  ) throws(SampleIndexError) -> Composition {
    var parts = [
      FragmentWriter.Part(track: index.leading, samples: leading, isPicture: index.leading.handler == "vide")
    ]
    if let track = index.sound, !sound.isEmpty {
      parts.append(FragmentWriter.Part(track: track, samples: sound, isPicture: false))
    }
    let layout = MediaLayout(parts.map(\.samples), in: index.places)
    guard
      let head = FragmentWriter.head(
        number: UInt32(clamping: number + 1), parts, shift: shift, layout: layout)
    else { throw .damaged("has a segment that is too long") }
    return Composition(head, then: layout.pieces)
  }

  /// Returns the key frame with which a block begins, as a segment of its own. It is shown until the next block.
  ///
  /// - Parameter number: the number of the block, from 0.
  /// - Throws: `ViewError`, which is `.noSuchPart` if there is no such block or it does not begin with a key frame.
  package static func keyFrame(
    _ number: Int, of index: SampleIndex, _ source: some ByteSource
  ) throws(ViewError) -> Composition {
    guard let shift = index.shift else { throw .noFilm }
    guard number >= 0, number < index.blockCount, index.leading.handler == "vide" else { throw .noSuchPart }
    let rows = try mapError(
      ViewError.index, try index.blockRows(number..<min(number + 2, index.blockCount), source))
    guard let row = rows.first, row.beginsWithKeyFrame else { throw .noSuchPart }
    let end = rows.count > 1 ? rows[1].time : index.end
    // The picture is shown when it is decoded.
    let sample = IndexedSample(
      offset: row.keyFrame.lowerBound,
      decodingTime: row.time + index.leading.timing.origin - Int64(index.leading.leastOffset),
      compositionOffset: index.leading.leastOffset, duration: UInt32(clamping: max(1, end - row.time)),
      size: UInt32(clamping: row.keyFrame.upperBound - row.keyFrame.lowerBound), isSync: true)
    return try mapError(
      ViewError.index, try fragment(number: number, leading: [sample], sound: [], of: index, shift: shift))
  }
}
