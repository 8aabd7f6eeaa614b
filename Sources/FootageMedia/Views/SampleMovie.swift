internal import FootageBase

/// A writer of an MP4 whose samples exist elsewhere: a clip or a picture.
///
/// Rotation, colors and parameter sets are those of the recording.
struct SampleMovie {
  /// A track's samples, in decoding order.
  struct Part {
    let track: Track
    var samples = SampleTableBuilder()
    /// The duration of all samples in the track's ticks.
    var duration: UInt64 = 0
    /// The time at the beginning in which nothing is shown, in the movie's ticks.
    var emptyDuration: UInt64 = 0
    /// The start of the part that is shown after that, in the track's ticks.
    var mediaTime: Int64 = 0
    /// The number of the track's ticks a second in the tables.
    fileprivate private(set) var timescale: UInt32
    /// The duration of the part that is shown, in the movie's ticks.
    var shownDuration: UInt64 = 0
    /// The end of the previous sample in the `mdat`'s payload. A sample at any other offset begins a new run.
    fileprivate var next: UInt64?
    /// The current run of adjoining samples.
    fileprivate var run: (offset: UInt64, samples: UInt32)?

    /// - Parameter timescale: the number of ticks a second in which the samples are given; nil for the track's own.
    init(_ track: Track, timescale: UInt32? = nil) {
      self.track = track
      self.timescale = timescale ?? track.timescale
    }

    /// - Parameters:
    ///   - offset: the offset of the sample in the `mdat`'s payload.
    ///   - duration: the duration in the track's ticks.
    mutating func append(at offset: UInt64, size: UInt32, compositionOffset: Int32, duration: Int64, isSync: Bool) {
      if offset != next || run == nil {
        endRun()
        run = (offset, 0)
      }
      run?.samples += 1
      next = offset + UInt64(size)
      samples.append(size: size, compositionOffset: compositionOffset, isSync: isSync)
      samples.append(duration: duration)
      self.duration += UInt64(duration)
    }

    /// Ends the tables. If a gap needs it, their ticks become coarser.
    fileprivate mutating func finish() {
      endRun()
      let coarser = samples.timescale(fitting: timescale)
      samples.rescale(from: timescale, to: coarser)
      mediaTime = mediaTime.rescaled(from: timescale, to: coarser)
      duration = UInt64(max(0, Int64(clamping: duration).rescaled(from: timescale, to: coarser)))
      timescale = coarser
    }

    /// True if the edit list shows all of the samples.
    fileprivate func isShownWhole(movieTimescale: UInt32) -> Bool {
      emptyDuration == 0 && mediaTime == 0
        && duration.rescaled(from: timescale, to: movieTimescale, rounding: .down) <= shownDuration
    }

    private mutating func endRun() {
      guard let run else { return }
      samples.beginChunk(at: run.offset, sampleCount: run.samples, descriptionIndex: 1)
      self.run = nil
    }
  }

  let movie: Movie
  let isQuickTime: Bool
  /// The number of ticks a second.
  let timescale: UInt32
  var parts: [Part]
  /// The length of the `mdat`'s payload in bytes.
  let mediaLength: UInt64

  /// Returns `ftyp`, `moov` and the header of `mdat`.
  func head() throws(MP4Error) -> [UInt8] {
    var parts = parts
    for index in parts.indices { parts[index].finish() }
    // The tables have a few bytes per sample. 1 MiB is for the rest of the tracks.
    let overhead = parts.reduce(UInt64(1 << 20)) { $0 + UInt64($1.samples.size) }
    let is64Bit = mediaLength + overhead > UInt64(UInt32.max)
    let duration = parts.map { $0.emptyDuration + $0.shownDuration }.max() ?? 0
    var writer = MovieWriter(movie, after: FileTypeBox.plain(isQuickTime: isQuickTime), capacity: Int(overhead))
    try writer.box("moov") { (writer) throws(MP4Error) in
      for child in movie.children where child.type == "mvhd" {
        try writer.header(child, timescale: timescale, duration: duration, in: "moov")
      }
      for part in parts where part.samples.sampleCount > 0 {
        let needsEdits = parts.count > 1 || !part.isShownWhole(movieTimescale: timescale)
        try writer.track(
          part.track, movieDuration: part.emptyDuration + part.shownDuration, timescale: part.timescale,
          mediaDuration: part.duration,
          flags: 0b11, keeping: InitializationWriter.kept,
          edits: { writer in
            guard needsEdits else { return }
            writer.editList(
              emptyDuration: part.emptyDuration, duration: part.shownDuration, mediaTime: part.mediaTime)
          },
          sampleTable: { (writer) throws(MP4Error) in
            try writer.sampleDescription(1, of: part.track)
            writer.tables(part.samples, mediaLength: mediaLength, is64Bit: is64Bit)
          })
      }
    }
    writer.mediaHeader(mediaLength: mediaLength, is64Bit: is64Bit)
    writer.moveChunkOffsets(by: UInt64(writer.bytes.count))
    return writer.bytes
  }
}
