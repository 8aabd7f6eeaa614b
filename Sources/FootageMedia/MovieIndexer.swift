package import FootageBase

/// An indexer of a file, which can index it again whenever it has grown.
///
/// It is a fold over the top-level boxes of the file. A box is added when it is complete, and is never read again. The
/// result for the current end of the file is computed on a copy. A file that is examined after each of its fragments is
/// therefore read only once in total. Each examination has the same result as a first examination of the same bytes.
package struct MovieIndexer: Sendable {
  /// The offset in the file of the first box that was not added.
  private var position: UInt64 = 0
  /// The boxes before the first fragment, in file order.
  private var boxes: [TopLevelBox] = []
  private var movieBuffer: BoxBuffer?
  /// The fragments, or nil before the first one.
  private var fragments: Defragmenter?
  /// The fault of the boxes so far, which no following box can repair.
  private var failure: MP4Error?

  package init() {}

  /// The largest number of bytes that an examination reads again, not counting samples that are searched for parameter
  /// sets.
  package static var repeatedBytes: UInt64 { TopLevelScanner<MemoryByteSource>.windowSize }

  /// Indexes the file as it is now. Reads box headers, `moov` and `moof`, and no box that an earlier examination has
  /// added. Media is read only if sample entries lack parameter sets, which are then searched for in key frames. May
  /// block.
  ///
  /// - Parameter source: the same file each time. It may have grown. If it has shrunk, it is read again from the
  ///   beginning. If its earlier bytes have changed, it needs a new `MovieIndexer`.
  /// - Throws: `MP4Error` if the file is refused permanently, or cannot be read.
  package mutating func index(_ source: some ByteSource) throws(MP4Error) -> IndexOutcome {
    if source.length < position { self = MovieIndexer() }
    var scanner = TopLevelScanner(source, from: position)
    let last = try takeIn(&scanner)
    var copy = self
    defer { fragments?.reuse(copy.fragments?.readings) }
    return try copy.finish(at: last, &scanner).outcome
  }

  /// The recorder's movie, and the offset of its first fragment in the file. It is nil if the file is not fragmented.
  var fragmentedBeginning: (movie: Movie, firstFragment: UInt64)? {
    get throws(MP4Error) {
      guard let fragments, let movieBuffer else { return nil }
      return (try Movie(movieBuffer), fragments.firstFragment)
    }
  }

  /// Indexes a file that is examined only once.
  static func indexing(of source: some ByteSource) throws(MP4Error) -> Indexing {
    var indexer = MovieIndexer()
    var scanner = TopLevelScanner(source)
    let last = try indexer.takeIn(&scanner)
    return try indexer.finish(at: last, &scanner)
  }

  /// Adds every box that is complete.
  ///
  /// - Returns: the step at which the walk ended, and which was not added: the end, a box that extends to the end of
  ///   the file and may grow, or a box that does not belong to the recording.
  private mutating func takeIn<Source: ByteSource>(
    _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> TopLevelStep {
    if let failure { throw failure }
    defer { position = scanner.position }
    while true {
      let step = try scanner.next()
      guard case .box(let box) = step else { return step }
      guard !box.reachesEnd else {
        // Everything after this box is in it.
        scanner.goBack(to: box)
        return step
      }
      do throws(MP4Error) {
        guard try add(box, &scanner) != nil else { continue }
        scanner.goBack(to: box)
        return step
      } catch {
        scanner.goBack(to: box)
        if case .unreadable = error {} else { failure = error }
        throw error
      }
    }
  }

  /// - Returns: the reason why the walk ends before this box, or nil if it continues.
  private mutating func add<Source: ByteSource>(
    _ box: TopLevelBox, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> Defragmenter.Fault? {
    if fragments == nil {
      try checkFirst(box.type)
      guard box.type == "moof" else {
        try addPreceding(box, &scanner)
        return nil
      }
      guard let movieBuffer else { throw .fragmentWithoutMovie(box.place) }
      fragments = try Defragmenter(try Movie(movieBuffer), precedingBoxes: boxes, firstFragment: box)
    }
    return try fragments?.add(box, &scanner) ?? nil
  }

  /// Returns the result for a file that ends at the present position. Nothing may be added afterwards.
  private mutating func finish<Source: ByteSource>(
    at last: TopLevelStep, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> Indexing {
    guard scanner.length > 0 else { return Indexing(outcome: .incomplete(.empty)) }
    var fault: Defragmenter.Fault?
    if case .box(let box) = last { fault = try add(box, &scanner) }
    if let indexing = try fragments?.finish(at: last, fault, &scanner) { return indexing }
    switch last {
    case .box, .end: return try progressive(isTailDropped: false, &scanner)
    case .cut(let error, _):
      try checkFirst(cutBy: error)
      return try cutShort(error, length: scanner.length)
    case .junk(_, let offset):
      if boxes.isEmpty { throw .notMP4("it begins with neither 'ftyp' nor any other MP4 box") }
      guard movieBuffer != nil else { return Indexing(outcome: .incomplete(.unfinished(length: scanner.length))) }
      return try progressive(
        isTailDropped: true,
        notes: [
          "the \(scanner.length - offset) bytes from byte \(offset) on are not boxes and are left out"
        ], &scanner)
    }
  }

  /// The types with which a file may begin. They exclude text, which would look like a truncated box: its first letters
  /// form a size and a type.
  private static var firstTypes: Set<FourCharacterCode> {
    [
      "ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "uuid", "pnot", "pdin", "moof", "sidx", "prft", "emsg",
      "meta", "udta", "junk", "PICT", "pict",
    ]
  }

  private func checkFirst(_ type: FourCharacterCode) throws(MP4Error) {
    guard boxes.isEmpty, !Self.firstTypes.contains(type) else { return }
    throw .notMP4("it begins with neither 'ftyp' nor any other MP4 box")
  }

  private func checkFirst(cutBy error: MP4Error) throws(MP4Error) {
    guard boxes.isEmpty, case .boxCut(let place, let claims, _) = error else { return }
    guard Self.firstTypes.contains(where: { $0.description == place.path }) else {
      throw .notMP4("it begins with neither 'ftyp' nor any other MP4 box")
    }
    guard place.path != "ftyp" || claims <= Limits.fileTypeBox else {
      throw .notMP4("its 'ftyp' claims \(claims) bytes, but a few dozen would do")
    }
  }

  private mutating func addPreceding<Source: ByteSource>(
    _ box: TopLevelBox, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) {
    guard boxes.count < Limits.topLevelBoxes else {
      throw .tooMuch(box.place, of: "boxes before it", limit: UInt64(Limits.topLevelBoxes))
    }
    if box.type == "moov" || box.type == "ftyp" {
      guard !boxes.contains(where: { $0.type == box.type }) else { throw .duplicate(box.place) }
      // The box is served before everything else, which it would then contain.
      guard box.type == "moov" || !box.reachesEnd else { throw .malformed(box.place, "extends to the end of the file") }
    }
    if box.type == "moov" {
      try refuseZeros(box, &scanner)
      movieBuffer = try scanner.read(box, limit: Limits.movieBox)
    }
    boxes.append(box)
  }

  /// Counts the zeros in a box before it is read into memory. A sparse file may contain any number of them without
  /// using space on the disk.
  private func refuseZeros<Source: ByteSource>(
    _ box: TopLevelBox, _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) {
    guard box.size > Limits.unquestionedMovieBox, box.size <= Limits.movieBox else { return }
    let page = 4_096
    var zeros: UInt64 = 0
    for start in stride(from: box.offset, to: box.end, by: 1 << 20) {
      let bytes = try scanner.read(start..<min(box.end, start + 1 << 20))
      for offset in stride(from: 0, to: bytes.count - bytes.count % page, by: page)
      where bytes[offset..<(offset + page)].allSatisfy({ $0 == 0 }) { zeros += UInt64(page) }
      guard zeros <= Limits.zerosInMovieBox else {
        throw .tooMuch(box.place, of: "zero bytes", limit: Limits.zerosInMovieBox)
      }
    }
  }

  /// Returns the result for a file that ends inside a box. Its `moov` is checked nevertheless, so that the file is
  /// refused if that is broken.
  private func cutShort(_ error: MP4Error, length: UInt64) throws(MP4Error) -> Indexing {
    guard let movieBuffer else { return Indexing(outcome: .incomplete(error)) }
    let movie = try Movie(movieBuffer)
    let hasNothingYet = movie.allowsFragments && movie.sampleCount == 0
    return Indexing(
      outcome: .incomplete(hasNothingYet ? .noWholeFragment(length: length) : error),
      tracks: movie.tracks.map { TrackSummary($0, in: movie) })
  }

  private func progressive<Source: ByteSource>(
    isTailDropped: Bool, notes: [String] = [], _ scanner: inout TopLevelScanner<Source>
  ) throws(MP4Error) -> Indexing {
    guard let movieBuffer else { return Indexing(outcome: .incomplete(.unfinished(length: scanner.length))) }
    var movie = try Movie(movieBuffer)
    var notes = notes + movie.editNotes
    let mended = try movie.mended()
    if let mended {
      movie = mended
      notes.append(MovieRepair.note)
    }
    let layout = ServedLayout(boxes)
    // A track that is left out below is no reason for a recording to begin earlier.
    var kept = movie
    _ = try? kept.leaveOutTracksWithSamplesOutside(layout, fileLength: scanner.length)
    let editRepair = EditListRepair(movie, kept: Set(kept.tracks.map(\.id)))
    if let editRepair {
      movie = try Movie(try editRepair.movieBox())
      if let note = editRepair.note { notes.append(note) }
    }
    do throws(MP4Error) {
      try movie.leaveOutTracksWithSamplesOutside(layout, fileLength: scanner.length)
    } catch {
      guard case .samplesBeyondEnd = error else { throw error }
      return Indexing(outcome: .incomplete(error), tracks: movie.tracks.map { TrackSummary($0, in: movie) })
    }
    for track in movie.tracks where track.handler == "vide" {
      guard var search = ParameterSetSearch(track.sampleEntries) else { continue }
      for sample in try track.samples.placesOfFirstKeyFrame(in: movie.buffer) { try search.look(in: sample, &scanner) }
      if !search.missing.isEmpty, track.samples.count > 0 { try movie.leaveOut(track, without: search.missing) }
    }
    // Only now is it known which tracks are left.
    let tracks = movie.tracks.map { TrackSummary($0, in: movie) }
    guard movie.tracks.contains(where: { $0.isPictureOrSound && $0.samples.count > 0 }) else {
      let error = try movie.nothingToPlay()
      let hasNothingYet = movie.allowsFragments && movie.sampleCount == 0
      return Indexing(
        outcome: .incomplete(hasNothingYet ? .noWholeFragment(length: scanner.length) : error), tracks: tracks)
    }
    let summary = MovieSummary(movie.header, tracks: tracks)
    let mediaStart = boxes.first { $0.type == "mdat" }?.offset ?? .max
    let isServedAsItIs =
      !isTailDropped && mended == nil && editRepair == nil && movie.brokenTracks.isEmpty
      && movieBuffer.fileOffset < mediaStart
      && !boxes.contains { ServedLayout.dropped.contains($0.type) }
    guard !isServedAsItIs else {
      let index = MovieIndex(body: [0..<scanner.length], movie: summary, notes: notes + movie.notes)
      return Indexing(outcome: .ready(index), tracks: tracks)
    }
    for box in boxes where box.type == "meta" {
      let buffer = try scanner.read(box, limit: Limits.metaBox)
      try MetaBox.refuseFileOffsets(among: [buffer.root], of: buffer, at: "")
    }
    var fileType: [UInt8] = []
    if let box = boxes.first(where: { $0.type == "ftyp" }) {
      fileType = try scanner.read(box, limit: Limits.fileTypeBox).bytes
    }
    var faststart = try Faststart(movie, layout: layout)
    let index = MovieIndex(
      preamble: try faststart.preamble(fileType: fileType), body: layout.body, movie: summary,
      notes: notes + movie.notes)
    return Indexing(outcome: .ready(index), tracks: tracks)
  }
}
