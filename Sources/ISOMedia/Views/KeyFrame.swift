package import Formats

/// One picture of a recording that a decoder needs no other for, as an MP4 of its own.
package struct KeyFrame: Sendable, Hashable {
  /// Changes whenever the bytes of such a view change: it goes into their entity tags.
  package static let viewVersion: UInt8 = 1

  /// An MP4 of exactly one sample. Source 0 is the recorder's file.
  package let composition: Composition
  /// Of the sample's first byte, in the recorder's file: no other picture has it.
  package let place: UInt64
  /// At which times of the presentation it is this picture, in nanoseconds, among them the one that it was made for;
  /// `Int64.max` for an end that never comes.
  package let times: Range<Int64>

  package init(composition: Composition, place: UInt64, times: Range<Int64>) {
    self.composition = composition
    self.place = place
    self.times = times
  }

  /// The sync sample of the video track that is shown at a time of the presentation, or the last one before that; the
  /// first where all are later.
  ///
  /// Rotation, colours and parameter sets are the recording's: its `tkhd` and its sample entry are taken over. The
  /// sample's bytes are a range of the recorder's file; the rest is literal, some 780 bytes.
  ///
  /// - Parameter time: beyond the end means the last sync sample.
  /// - Throws: `ViewError`: the recording has no such picture.
  package init(at time: DecimalSeconds, of tables: MovieTables) throws(ViewError) {
    guard let track = tables.video else { throw .noVideo }
    let mediaTime = track.mediaTime(at: time)
    let sample: Int
    let mediaTimes: Range<Int64>
    if let last = track.syncSample(atOrBefore: mediaTime) {
      let next = track.syncSample(after: mediaTime).map { track.mediaTime(of: $0) }
      sample = last
      mediaTimes = track.mediaTime(of: last)..<(next ?? .max)
    } else if let first = track.syncSample(after: mediaTime) {
      sample = first
      mediaTimes = .min..<track.mediaTime(of: first)
    } else {
      throw .noKeyFrame
    }
    guard let place = track.place(of: sample), !place.bytes.isEmpty else { throw .noKeyFrame }
    let media = tables.composition.slice(in: place.bytes)
    let length = place.bytes.upperBound - place.bytes.lowerBound
    guard media.length == length, let first = media.ranges().first else { throw .noKeyFrame }
    var composition = Composition()
    do throws(MP4Error) {
      let picture = Picture(
        track: track.track, byteCount: UInt32(length), duration: max(1, track.duration(of: sample)),
        descriptionIndex: place.descriptionIndex)
      composition.append(try Self.head(of: picture, tables))
    } catch {
      throw .broken(error)
    }
    composition.append(media)
    self.init(
      composition: composition, place: first.lowerBound, times: track.times(showing: mediaTimes, around: time))
  }

  /// The same, of a recording whose media can be read: where a decoder needs what the sample entry does not hold, it
  /// has to stand in the sample itself.
  ///
  /// - Parameter media: the recorder's file.
  /// - Throws: `ViewError`, `.noParameterSets` where it does not.
  package static func make(
    at time: DecimalSeconds, of tables: MovieTables, media: some ByteSource
  ) throws(ViewError) -> KeyFrame {
    let picture = try KeyFrame(at: time, of: tables)
    guard let track = tables.video, var search = ParameterSetSearch(track.track.sampleEntries) else { return picture }
    var scanner = TopLevelScanner(media)
    do throws(MP4Error) {
      for range in picture.composition.ranges() { try search.look(in: range, &scanner) }
    } catch {
      throw .broken(error)
    }
    guard search.missing.isEmpty else { throw .noParameterSets(missing: "\(search.missing)") }
    return picture
  }

  private struct Picture {
    let track: Track
    let byteCount: UInt32
    /// In the track's ticks.
    let duration: UInt32
    /// From 1, into `stsd`.
    let descriptionIndex: UInt32
  }

  /// `ftyp`, `moov` and the header of `mdat`.
  private static func head(of picture: Picture, _ tables: MovieTables) throws(MP4Error) -> [UInt8] {
    let movie = tables.movie
    let duration = UInt64(picture.duration)
    var samples = SampleTableBuilder()
    samples.beginChunk(at: 0, sampleCount: 1, descriptionIndex: 1)
    samples.append(size: picture.byteCount, compositionOffset: 0, isSync: true)
    samples.append(duration: picture.duration)
    var writer = MovieWriter(movie, after: FileTypeBox.withoutFragments(tables.fileType))
    try writer.box("moov") { (writer) throws(MP4Error) in
      for child in movie.children where child.type == "mvhd" {
        // In the track's ticks, so that the picture lasts exactly as long as it did.
        try writer.header(child, timescale: picture.track.timescale, duration: duration, in: "moov")
      }
      // Enabled, and in the presentation, whatever it was.
      try writer.track(
        picture.track, movieDuration: duration, mediaDuration: duration, flags: 0b11, keeping: InitializationWriter.kept
      ) { (writer) throws(MP4Error) in
        try writer.sampleDescription(picture.descriptionIndex, of: picture.track)
        writer.tables(samples, mediaLength: UInt64(picture.byteCount), is64Bit: false)
      }
    }
    writer.mediaHeader(
      mediaLength: UInt64(picture.byteCount), is64Bit: UInt64(picture.byteCount) + 8 > UInt64(UInt32.max))
    writer.moveChunkOffsets(by: UInt64(writer.bytes.count))
    return writer.bytes
  }
}
