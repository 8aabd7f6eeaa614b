package import FootageBase

/// The segments of a film: fragments with the recorder's samples (RFC 8216 §3.3).
package enum FilmSegment {
  /// The version of this view, which is part of entity tags.
  package static let viewVersion = FilmVersion.current

  /// Returns all samples of a segment: a head, and usually one range of the recorder's file, which is source 0.
  ///
  /// - Parameters:
  ///   - number: the number of the segment, from 0.
  ///   - sound: what is heard with the pictures.
  /// - Throws: `ViewError`, which is `.noSuchPart` if there are fewer segments.
  package static func segment(
    _ number: Int, of index: SampleIndex, _ source: some ByteSource, sound: FilmSound = .own
  ) throws(ViewError) -> Composition {
    guard let shift = index.shift else { throw .noFilm }
    guard number >= 0, number < index.segmentCount else { throw .noSuchPart }
    do throws(SampleIndexError) {
      let rows = try index.segmentRows(number..<min(number + 2, index.segmentCount), source)
      let end = rows.count > 1 ? rows[1].firstBlock : index.blockCount
      guard let row = rows.first, row.firstBlock < end else { throw .damaged("has a segment without samples") }
      let blocks = try index.blocks(row.firstBlock..<end, source)
      let timing = index.leading.timing
      let shownEnd =
        row.endsBeforeGap
        ? row.time + timing.ticks(hundredThousandths: row.shownTime)
        : rows.count > 1 ? rows[1].time : index.end
      let shown = row.time..<max(row.time, shownEnd)
      let leading = blocks.flatMap(\.leading)
      if sound == .own {
        return try fragment(
          number: number, leading: leading, sound: blocks.flatMap(\.sound), of: index, shift: shift, shown: shown)
      }
      return try fragment(
        number: number, [picturePart(leading, of: index)], Self.silence(sound, shown, in: index), of: index,
        shift: shift)
    } catch {
      throw .index(error)
    }
  }

  /// - Parameter shown: the time of the fragment in ticks of the leading track, in which sound that is missing becomes
  ///   silence; nil if holes stay.
  static func fragment(
    number: Int, leading: [IndexedSample], sound: [IndexedSample], of index: SampleIndex, shift: UInt32,
    shown: Range<Int64>? = nil
  ) throws(SampleIndexError) -> Composition {
    var parts = [picturePart(leading, of: index)]
    var heard = sound.withoutEmptySamples
    let silence = shown == nil ? nil : index.silence
    if let track = index.sound {
      if let shown, let silence {
        let start = track.timing.ceiling(shown.lowerBound, of: index.leading.timing)
        let end = track.timing.floor(shown.upperBound, of: index.leading.timing)
        heard = heard.filled(with: silence, track.timing, shown: start..<max(start, end), at: index.fileLength)
      }
      if !heard.isEmpty { parts.append(FragmentWriter.Part(track: track, samples: heard, isPicture: false)) }
    }
    return try fragment(number: number, parts, silence.map { (part: nil, sound: $0) }, of: index, shift: shift)
  }

  private static func picturePart(_ samples: [IndexedSample], of index: SampleIndex) -> FragmentWriter.Part {
    FragmentWriter.Part(
      track: index.leading, samples: samples.withoutEmptySamples, isPicture: index.leading.handler == "vide")
  }

  /// Returns the silence that takes the place of a recording's sound, or nil if there is to be no sound.
  ///
  /// - Parameter shown: the time of the segment in ticks of the leading track.
  private static func silence(
    _ sound: FilmSound, _ shown: Range<Int64>, in index: SampleIndex
  ) -> (part: FragmentWriter.Part?, sound: SilentSound)? {
    guard case .silence(let coding) = sound else { return nil }
    let track = SilentTrack(coding, besides: index.leading)
    let samples = track.samples(during: shown, of: index.leading.timing, at: index.fileLength)
    let part = FragmentWriter.Part(track: track.indexed, samples: samples, isPicture: false)
    return (samples.isEmpty ? nil : part, track.sound)
  }

  /// - Parameter silence: the silent frame at places behind the end of the file, and a part of such frames alone.
  private static func fragment(
    number: Int, _ heard: [FragmentWriter.Part], _ silence: (part: FragmentWriter.Part?, sound: SilentSound)?,
    of index: SampleIndex, shift: UInt32
  ) throws(SampleIndexError) -> Composition {
    let parts = heard + (silence?.part.map { [$0] } ?? [])
    let layout = MediaLayout(parts.map(\.samples), in: index.places, fileEnd: index.fileLength)
    guard
      let head = FragmentWriter.head(
        number: UInt32(clamping: number + 1), parts, shift: shift, layout: layout)
    else { throw .damaged("has a segment that is too long") }
    return layout.composition(head, frame: silence?.sound.frame ?? [])
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

extension [IndexedSample] {
  /// The samples that have bytes. A sample without bytes makes the one before it last longer: FFmpeg refuses fragments
  /// with such a sample.
  fileprivate var withoutEmptySamples: [IndexedSample] {
    guard contains(where: { $0.size == 0 }) else { return self }
    var kept: [IndexedSample] = []
    kept.reserveCapacity(count)
    for sample in self {
      if sample.size > 0 {
        kept.append(sample)
      } else if let last = kept.indices.last {
        kept[last].duration = UInt32(clamping: Int64(kept[last].duration) + Int64(sample.duration))
      }
    }
    return kept
  }
}
