package import FootageBase

extension SampleIndex {
  /// A new index, and the facts for the list of recordings that were determined with it.
  package struct Made: Sendable, Equatable {
    /// The whole index, or empty if none can be made.
    package let bytes: [UInt8]
    /// The number of seconds by which a film's times are later than the presentation's. It is nil if there can be no
    /// film.
    package let shift: UInt32?
    /// The longest time from a key frame to the next one or to the end, in seconds. It is nil without key frames.
    package let keyInterval: Double?
    /// The reasons why there is no film, or an incomplete one, one sentence each.
    package let notes: [String]

    package init(bytes: [UInt8] = [], shift: UInt32? = nil, keyInterval: Double? = nil, notes: [String] = []) {
      self.bytes = bytes
      self.shift = shift
      self.keyInterval = keyInterval
      self.notes = notes
    }
  }

  /// Makes the index of a file's served bytes, in one walk over its tables. May block.
  ///
  /// - Parameters:
  ///   - tables: the tables of the served bytes.
  ///   - media: the recorder's file. Key frames are read from it if the parameter sets that a decoder needs are not in
  ///     the sample entries.
  ///   - track: the number of the video track, from 1 on; nil for the one that most players can show.
  /// - Throws: `MP4Error` if samples cannot be placed in time or in the file.
  package static func make(
    of tables: MovieTables, media: some ByteSource, track: Int? = nil
  ) throws(MP4Error) -> Made {
    try make(of: tables, media: media, track: track, trustsMarks: true)
  }

  /// - Parameter trustsMarks: false if each marked sample is looked at, because some are no key frames.
  private static func make(
    of tables: MovieTables, media: some ByteSource, track: Int?, trustsMarks: Bool
  ) throws(MP4Error) -> Made {
    let movie = tables.movie
    guard let tracks = FilmTracks(movie, track: track) else {
      return Made(notes: [track.map { "it has no video track \($0)" } ?? "it has neither pictures nor sound for a film"]
      )
    }
    var builder = SampleIndexBuilder(
      timing: tracks.leadingTiming, soundTiming: tracks.soundTiming,
      rules: tracks.needsParameterSets ? .eachKeyFrame : .whole,
      shownEnd: tracks.shownEnd(of: tracks.leading, tracks.leadingTiming),
      shownSoundEnd: tracks.sound.flatMap { sound in tracks.soundTiming.flatMap { tracks.shownEnd(of: sound, $0) } },
      leavesOutHidden: !tracks.isCut)
    let map = FilePlaces(tables.composition)
    func cursor(_ track: Track, _ timing: TrackTiming) -> SampleCursor {
      let end = tracks.shownEnd(of: track, timing).map { $0 + timing.origin }
      return SampleCursor(
        track, in: movie.buffer, map: map, count: end.map { track.samples.count(shownBefore: $0, in: movie.buffer) })
    }
    var leading = cursor(tracks.leading, tracks.leadingTiming)
    var sound = tracks.sound.flatMap { sound in tracks.soundTiming.map { cursor(sound, $0) } }
    let marked = tracks.leading.samples.syncSamples?.count ?? tracks.leading.samples.count
    var check =
      tracks.leading.handler == "vide"
      ? KeyFrameCheck(tracks.leading.sampleEntries, marked: trustsMarks ? marked : nil) : nil
    builder.reserve(samples: tracks.leading.samples.count + (tracks.sound?.samples.count ?? 0))
    walk: while true {
      switch try builder.advance() {
      case .nothing: break walk
      case .leading:
        let known = builder.leading.count
        try leading.move(Self.step, to: &builder.leading, in: movie.buffer)
        try check?.look(at: &builder.leading, from: known, in: media)
        if trustsMarks, check?.hasFoundWrongMark ?? false {
          return try make(of: tables, media: media, track: track, trustsMarks: false)
        }
        builder.isLeadingComplete = leading.isAtEnd
      case .sound:
        try sound?.move(Self.step, to: &builder.sound, in: movie.buffer)
        builder.isSoundComplete = sound?.isAtEnd ?? true
      }
    }
    try builder.markKeyFrames(of: tracks.leading, in: media)

    var notes = tracks.notes
    if let note = builder.keyFrames.note { notes.append(note) }
    if check?.hasFoundWrongMark ?? false {
      notes.append(
        "the recorder marks pictures as key frames that are none, and films are cut only at those that are. Have the "
          + "recorder mark only pictures that can be decoded alone")
    }
    let shift = tracks.refusal == nil ? builder.shift : nil
    if let refusal = tracks.refusal { notes.append(refusal) }
    var header = Header(leading: tracks.leadingTrack(builder), sound: tracks.soundTrack(builder))
    header.segmentCount = builder.segments.count
    header.blockCount = builder.blocks.count
    header.payloadLength = UInt64(builder.payload.count)
    header.fileLength = map.fileLength
    header.end = builder.end
    header.isFilm = shift != nil
    header.shift = shift ?? 0
    header.places = ServedPlaces(of: tables.composition)
    header.isQuickTime = FileTypeBox.isQuickTime(tables.fileType)
    let writer = InitializationWriter(movie: movie, leading: tracks.leading, sound: tracks.sound)
    header.initializations = try builder.descriptions.map { (description) throws(MP4Error) in
      try writer.initialization(description)
    }
    var bytes = header.bytes()
    bytes.reserveCapacity(
      bytes.count + builder.segments.count * SegmentRow.size + builder.blocks.count * BlockRow.size
        + builder.payload.count)
    for row in builder.segments { row.append(to: &bytes) }
    for row in builder.blocks { row.append(to: &bytes) }
    bytes.append(contentsOf: builder.payload)
    return Made(bytes: bytes, shift: shift, keyInterval: builder.keyInterval, notes: notes)
  }

  /// The number of a track's samples that are moved to the index at once.
  private static let step = 1_024
}

extension SampleIndexBuilder {
  /// The number of seconds by which a film's times are later than the presentation's. It is the smallest number for
  /// which no track has a time below 0. It is nil if it would exceed the limit for films.
  var shift: UInt32? {
    var seconds: Int64 = 0
    func need(_ timing: TrackTiming, _ least: Int32, _ first: Int64?) {
      guard let first else { return }
      let ticks = timing.origin - first - Int64(least)
      guard ticks > 0 else { return }
      seconds = max(seconds, (ticks + Int64(timing.timescale) - 1) / Int64(timing.timescale))
    }
    need(timing, leastOffset, firstTime)
    if let soundTiming { need(soundTiming, leastSoundOffset, firstSoundTime) }
    return seconds <= Int64(SampleIndex.Header.longestShift) ? UInt32(seconds) : nil
  }

  /// The longest time from a key frame to the next one or to the end, in seconds.
  fileprivate var keyInterval: Double? {
    guard let longest = keyFrames.longestInterval(until: end) else { return nil }
    return (Double(longest) / Double(timing.timescale) * 1_000).rounded() / 1_000
  }

  mutating func markKeyFrames(of track: Track, in media: some ByteSource) throws(MP4Error) {
    guard track.needsParameterSets else { return }
    var scanner = TopLevelScanner(media)
    try markKeyFrames { (bytes) throws(MP4Error) in
      guard var search = ParameterSetSearch(track.sampleEntries) else { return [] }
      try search.look(in: bytes, &scanner)
      return search.missing
    }
  }
}
