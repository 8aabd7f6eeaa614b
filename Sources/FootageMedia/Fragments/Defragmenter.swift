internal import FootageBase

/// A converter of a fragmented recording into an ordinary one, up to its last complete fragment.
///
/// It serves `ftyp`, a `moov` with sample tables made from the fragments, and one `mdat` around the unchanged bytes
/// from the first fragment to the end of the last complete one. The `moof` boxes within that `mdat` are unused bytes.
///
/// It is a fold over the boxes from the first `moof` on. `add` adds one box, and `finish` returns the result. If the
/// file may grow, call `finish` on a copy.
struct Defragmenter: Sendable {
  private var movie: Movie
  /// The boxes before the first `moof`, in file order.
  private let precedingBoxes: [TopLevelBox]
  private var notes: [String]
  private var tracks: [FragmentedTrack]
  private var clock: FragmentClock
  private var trackIndices: [UInt32: Int] = [:]
  /// The number of boxes in the file so far.
  private var boxCount: Int
  private var sampleCount: Int
  /// The number of samples that take memory of their own.
  private var entryCount: Int
  private var emptySampleCount = 0
  /// The number of fragments with samples.
  private var fragmentCount = 0
  /// The offset in the file at which the body begins.
  let bodyStart: UInt64
  /// The offset in the file of the first fragment.
  let firstFragment: UInt64
  private var bodyEnd: UInt64
  /// The types of boxes in track fragments whose content is not used.
  private var unusedTypes: Set<FourCharacterCode> = []
  /// The boxes after the first fragment that are served beside the media.
  private var extraBoxes: [TopLevelBox] = []
  private var pending: PendingFragment?
  /// The fault of a broken fragment. Nothing after it is added.
  private var fault: Fault?
  /// The results of reads in `finish`.
  private(set) var readings = Readings()

  /// Results of reads that stay valid when the file grows, so that they need not be repeated at every examination.
  struct Readings: Sendable {
    fileprivate var fileType: BoxBuffer?
    /// The offsets of the `meta` boxes without file offsets.
    fileprivate var checkedMetas: Set<UInt64> = []
    /// The IDs of tracks whose parameter sets were all found.
    fileprivate var decodableTracks: Set<UInt32> = []
  }

  /// Reuses the readings of a copy.
  mutating func reuse(_ readings: Readings?) { if let readings { self.readings = readings } }

  /// The types of boxes beside the movie that remain useful.
  private static let extraTypes: Set<FourCharacterCode> = ["uuid", "udta", "meta"]

  /// - Parameter first: the first `moof`, which must be added next.
  init(_ movie: Movie, precedingBoxes: [TopLevelBox], firstFragment first: TopLevelBox) throws(MP4Error) {
    for track in movie.tracks where track.sampleEntries.contains(where: \.isEncrypted) {
      throw .encryptedFragments(
        movie.buffer.place(of: track.boxes.sampleDescriptions, in: "moov/trak/mdia/minf/stbl"))
    }
    var movie = movie
    var bodyStart = first.offset
    if movie.sampleCount > 0 {
      // The recorder put its first samples into `moov`, and the fragments continue from there.
      bodyStart = precedingBoxes.first { $0.type == "mdat" }?.offset ?? first.offset
      let preceding = ServedLayout(precedingBoxes.filter { $0.offset >= bodyStart })
      try movie.leaveOutTracksWithSamplesOutside(preceding, fileLength: first.offset)
      // Fragments make a table with an entry for each sample of these.
      for track in movie.tracks where movie.sampleCount > Limits.samples && track.handler != "vide" {
        movie.leaveOut(
          track,
          because: .tooMuch(
            movie.buffer.place(of: track.boxes.track, in: "moov"), of: "samples before its fragments",
            limit: UInt64(Limits.samples)))
      }
    }
    let mended = movie.sampleCount > 0 ? try movie.mended() : nil
    notes = movie.notes + (mended == nil ? [] : [MovieRepair.note])
    tracks = movie.tracks.map { FragmentedTrack($0) }
    clock = FragmentClock(timescales: movie.tracks.map(\.timescale))
    for (index, track) in movie.tracks.enumerated() {
      trackIndices[track.id] = index
      guard track.samples.count > 0 else { continue }
      let movie = mended ?? movie
      let samples = movie.tracks.first { $0.id == track.id }?.samples ?? track.samples
      try tracks[index].append(samples, in: movie.buffer, bodyStart: bodyStart, &clock.tracks[index])
    }
    sampleCount = movie.sampleCount
    entryCount = movie.sampleCount
    boxCount = precedingBoxes.count
    self.movie = movie
    self.precedingBoxes = precedingBoxes
    self.bodyStart = bodyStart
    bodyEnd = first.offset
    firstFragment = first.offset
  }

  /// The reason why the recording ends before the file does.
  struct Fault: Sendable {
    fileprivate let error: MP4Error
    /// True if more bytes cannot repair the fault.
    fileprivate let isFinal: Bool
  }

  /// Adds the next box.
  ///
  /// - Returns: the reason why the recording ends before this box, or nil if the box is part of it.
  /// - Throws: `unreadable`, after which the same box may be added again, or `tooMuch`.
  mutating func add<Source: ByteSource>(
    _ box: TopLevelBox, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> Fault? {
    if let fault { return fault }
    guard boxCount < Limits.topLevelBoxes + Limits.boxesPerFragment * fragmentCount else {
      throw .tooMuch(box.place, of: "boxes before it that hold no samples", limit: UInt64(Limits.topLevelBoxes))
    }
    switch box.type {
    case "moof":
      if let fault = try settle(fileLength: scanner.length) { return fault }
      guard fragmentCount < Limits.fragments else {
        throw .tooMuch(box.place, of: "fragments before it", limit: UInt64(Limits.fragments))
      }
      do throws(MP4Error) {
        let buffer = try scanner.read(box, limit: Limits.fragmentBox)
        pending = PendingFragment(try MovieFragment(buffer, of: movie, trackIndices: trackIndices), box)
      } catch {
        if case .unreadable = error { throw error }
        fault = Fault(error: error, isFinal: true)
        return fault
      }
    case "mdat": pending?.add(box)
    case "moov", "ftyp":
      return try settle(fileLength: scanner.length) ?? Fault(error: .duplicate(box.place), isFinal: true)
    default:
      if Self.extraTypes.contains(box.type), extraBoxes.count < Limits.children { extraBoxes.append(box) }
    }
    boxCount += 1
    return nil
  }

  /// Returns the result for a file that ends at `last`. Nothing may be added afterwards.
  ///
  /// - Parameter fault: the result of `add` for `last`.
  mutating func finish<Source: ByteSource>(
    at last: TopLevelStep, _ fault: Fault?, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> Indexing {
    var fault = fault
    if fault == nil {
      let unsettled = try settle(fileLength: scanner.length)
      switch last {
      // If the truncated box holds the last fragment's media, this error says more than that media is missing.
      case .cut(let error, _), .junk(let error, _): fault = Fault(error: error, isFinal: false)
      case .box, .end: fault = unsettled
      }
    }
    guard hasSomethingToPlay else {
      let tracks = movie.tracks.map { TrackSummary($0, in: movie) }
      if let fault, fault.isFinal { throw fault.error }
      let error = try movie.nothingToPlay()
      return Indexing(
        outcome: .incomplete(sampleCount == 0 ? .noWholeFragment(length: scanner.length) : error), tracks: tracks)
    }
    try leaveOutTracksWithoutParameterSets(&scanner)
    if let fault { notes.append("served up to byte \(bodyEnd), where the last whole fragment ends: \(fault.error)") }
    return try indexing(isRecovered: fault != nil, &scanner)
  }

  private var hasSomethingToPlay: Bool {
    zip(movie.tracks, tracks).contains { $0.isPictureOrSound && $1.samples.sampleCount > 0 }
  }

  private mutating func leaveOutTracksWithoutParameterSets<Source: ByteSource>(
    _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) {
    let before = movie.notes.count
    for track in movie.tracks where track.handler == "vide" && !readings.decodableTracks.contains(track.id) {
      guard var search = ParameterSetSearch(track.sampleEntries),
        let index = movie.tracks.firstIndex(where: { $0.id == track.id }), tracks[index].samples.sampleCount > 0
      else { continue }
      for sample in tracks[index].placesOfFirstKeyFrame {
        try search.look(in: (bodyStart + sample.lowerBound)..<(bodyStart + sample.upperBound), &scanner)
      }
      guard !search.missing.isEmpty else {
        readings.decodableTracks.insert(track.id)
        continue
      }
      try movie.leaveOut(track, without: search.missing)
      tracks.remove(at: index)
      clock.tracks.remove(at: index)
    }
    notes += movie.notes.dropFirst(before)
  }

  /// Adds the pending fragment to the tracks if it is complete. Otherwise it stays pending.
  private mutating func settle(fileLength: UInt64) throws(MP4Error) -> Fault? {
    guard let pending else { return nil }
    let data = pending.fragment.data ?? bodyStart..<bodyStart
    guard pending.isWhole else {
      return data.upperBound > fileLength
        ? Fault(
          error: .samplesBeyondEnd(pending.box.place, dataEnd: data.upperBound, length: fileLength), isFinal: false)
        : Fault(error: .samplesOutside(pending.box.place, data: data), isFinal: true)
    }
    self.pending = nil
    if try !makeRoom(for: pending.fragment) {
      let error = MP4Error.tooMuch(
        pending.box.place, of: "samples, including those before it", limit: UInt64(Limits.samples))
      // The pictures play without sound.
      try leaveOutSound(because: error)
      let fragment = try MovieFragment(pending.fragment.buffer, of: movie, trackIndices: trackIndices)
      guard try makeRoom(for: fragment) else { throw error }
      return try add(fragment, pending)
    }
    return try add(pending.fragment, pending)
  }

  /// Counts the samples of a fragment.
  ///
  /// - Returns: false if there are too many, including those before it. Then it has counted none.
  private mutating func makeRoom(for fragment: MovieFragment) throws(MP4Error) -> Bool {
    var count = entryCount
    var hasRoom = true
    try fragment.forEachRun(of: movie, trackIndices: trackIndices) { (run) throws(MP4Error) in
      guard let track = run.track else { return }
      count += tracks[track].entryCount(of: run)
      if !tracks[track].hasRoom(for: fragment.sampleCount) { hasRoom = false }
    }
    guard hasRoom, count <= Limits.samples else { return false }
    entryCount = count
    sampleCount += fragment.sampleCount
    return true
  }

  /// Leaves out all sound.
  ///
  /// - Throws: the error if there are no pictures.
  private mutating func leaveOutSound(because error: MP4Error) throws(MP4Error) {
    guard zip(movie.tracks, tracks).contains(where: { $0.handler == "vide" && $1.samples.sampleCount > 0 }) else {
      throw error
    }
    let before = movie.notes.count
    for track in movie.tracks where track.handler == "soun" {
      guard let index = movie.tracks.firstIndex(where: { $0.id == track.id }) else { continue }
      movie.leaveOut(track, because: error)
      tracks.remove(at: index)
      clock.tracks.remove(at: index)
    }
    notes += movie.notes.dropFirst(before)
    trackIndices = [:]
    for (index, track) in movie.tracks.enumerated() { trackIndices[track.id] = index }
    sampleCount = tracks.reduce(0) { $0 + $1.samples.sampleCount }
    entryCount = sampleCount
  }

  /// Adds a complete fragment to the tracks.
  private mutating func add(_ fragment: MovieFragment, _ pending: PendingFragment) throws(MP4Error) -> Fault? {
    let data = fragment.data ?? bodyStart..<bodyStart
    emptySampleCount += fragment.emptySampleCount
    guard emptySampleCount <= Limits.emptySamples else {
      throw .tooMuch(
        pending.box.place, of: "samples without bytes, including those before it", limit: UInt64(Limits.emptySamples))
    }
    clock.enter(fragment.claims)
    try fragment.forEachRun(of: movie, trackIndices: trackIndices) { (run) throws(MP4Error) in
      guard let track = run.track else { return }
      // The data of a run without bytes may be at any offset.
      let offset = data.contains(run.dataOffset) ? run.dataOffset : data.lowerBound
      tracks[track].append(run, at: offset - bodyStart, in: fragment.buffer, &clock.tracks[track])
    }
    if !fragment.unusedTypes.isEmpty { unusedTypes.formUnion(fragment.unusedTypes) }
    if fragment.sampleCount > 0 { fragmentCount += 1 }
    bodyEnd = pending.mediaEnd
    var tableSize = 0
    for index in tracks.indices { tableSize += tracks[index].samples.size }
    guard tableSize <= Limits.synthesizedMovie else {
      throw .tooMuch(pending.box.place, of: "bytes of sample tables", limit: UInt64(Limits.synthesizedMovie))
    }
    return nil
  }

  private mutating func indexing<Source: ByteSource>(
    isRecovered: Bool, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> Indexing {
    for index in tracks.indices { tracks[index].finish(lastDuration: clock.lastDuration(of: index)) }
    let timeline = FragmentTimeline(
      movie, tracks: tracks, clockBeginning: clock.beginning)
    for index in tracks.indices { tracks[index].beginPicture(at: timeline.presentations[index].mediaTime) }
    if readings.fileType == nil, let box = precedingBoxes.first(where: { $0.type == "ftyp" }) {
      readings.fileType = try scanner.read(box, limit: Limits.fileTypeBox)
    }
    let writer = FragmentedMovieWriter(movie, tracks: tracks, timeline: timeline, bodyLength: bodyEnd - bodyStart)
    let preamble = try writer.preamble(fileType: FileTypeBox.withoutFragments(readings.fileType))
    try MetaBox.refuseFileOffsets(among: movie.children, of: movie.buffer, at: "moov")
    for track in movie.tracks {
      try MetaBox.refuseFileOffsets(among: track.boxes.trackChildren, of: movie.buffer, at: "moov/trak")
    }
    var body = Composition(then: [bodyStart..<bodyEnd])
    for box in precedingBoxes + extraBoxes where Self.extraTypes.contains(box.type) {
      guard box.end <= bodyStart || box.offset >= bodyEnd else { continue }
      if box.type == "meta", !readings.checkedMetas.contains(box.offset) {
        let buffer = try scanner.read(box, limit: Limits.metaBox)
        try MetaBox.refuseFileOffsets(among: [buffer.root], of: buffer, at: "")
        readings.checkedMetas.insert(box.offset)
      }
      body.append(box.offset..<box.end)
    }

    var summaries: [TrackSummary] = []
    for (index, track) in movie.tracks.enumerated() {
      let presentation = timeline.presentations[index]
      summaries.append(
        TrackSummary(
          track, timescale: tracks[index].timescale, sampleCount: tracks[index].samples.sampleCount,
          rate: SampleRate(tracks[index].samples),
          duration: Double(presentation.duration) / Double(timeline.movieTimescale)))
    }
    if clock.wasSet { notes.append("its times jump; samples after a jump follow directly on those before it") }
    if clock.isMended, !notes.contains(MovieRepair.note) { notes.append(MovieRepair.note) }
    for type in unusedTypes.sorted(by: { $0.rawValue < $1.rawValue }) {
      notes.append("the '\(type)' boxes of the fragments are left out")
    }
    notes += timeline.notes
    let index = MovieIndex(
      preamble: preamble, body: body.ranges(), movie: MovieSummary(movie.header, tracks: summaries),
      isRecovered: isRecovered, notes: notes)
    return Indexing(outcome: .ready(index), tracks: summaries)
  }
}
