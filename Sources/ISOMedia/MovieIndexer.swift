internal import Formats

/// The walk over a file's top level, which decides how it is to be served.
struct MovieIndexer<Source: ByteSource> {
  private var scanner: TopLevelScanner<Source>
  /// Before the first fragment, in file order.
  private var boxes: [TopLevelBox] = []
  private var movieBuffer: BoxBuffer?
  private var notes: [String] = []

  init(_ source: Source) { scanner = TopLevelScanner(source) }

  /// What a file may begin with. Text would pass for a box that is cut short: its first letters make a size and a type.
  private static var firstTypes: Set<FourCharacterCode> {
    [
      "ftyp", "styp", "moov", "mdat", "free", "skip", "wide", "uuid", "pnot", "pdin", "moof", "sidx", "prft", "emsg",
      "meta", "udta", "junk", "PICT", "pict",
    ]
  }

  mutating func index() throws(MP4Error) -> Indexing {
    guard scanner.length > 0 else { return Indexing(outcome: .incomplete(.empty)) }
    while true {
      switch try scanner.next() {
      case .box(let box):
        try checkFirst(box.type)
        if box.type == "moof" {
          guard let movieBuffer else { throw .fragmentWithoutMovie(box.place) }
          var defragmenter = Defragmenter(try Movie(movieBuffer), precedingBoxes: boxes, notes: notes)
          return try defragmenter.index(from: box, &scanner)
        }
        try add(box)
      case .cut(let error, _):
        try checkFirst(cutBy: error)
        return try cutShort(error)
      case .junk(let error, let offset):
        if boxes.isEmpty { throw .notMP4("what it begins with is neither 'ftyp' nor any box of MP4") }
        guard movieBuffer != nil else { return Indexing(outcome: .incomplete(.unfinished(length: scanner.length))) }
        notes.append(
          "from byte \(offset) on there are no boxes but \(scanner.length - offset) bytes of something else: left out")
        return try progressive(isTailDropped: true, error)
      case .end:
        return try progressive(isTailDropped: false, nil)
      }
    }
  }

  private func checkFirst(_ type: FourCharacterCode) throws(MP4Error) {
    guard boxes.isEmpty, !Self.firstTypes.contains(type) else { return }
    throw .notMP4("what it begins with is neither 'ftyp' nor any box of MP4")
  }

  private func checkFirst(cutBy error: MP4Error) throws(MP4Error) {
    guard boxes.isEmpty, case .boxCut(let place, let claims, _) = error else { return }
    guard Self.firstTypes.contains(where: { $0.description == place.path }) else {
      throw .notMP4("what it begins with is neither 'ftyp' nor any box of MP4")
    }
    guard place.path != "ftyp" || claims <= Limits.fileTypeBox else {
      throw .notMP4("its 'ftyp' claims \(claims) bytes, where some dozens would do")
    }
  }

  private mutating func add(_ box: TopLevelBox) throws(MP4Error) {
    guard boxes.count < Limits.topLevelBoxes else {
      throw .tooMuch(box.place, of: "boxes before it", limit: UInt64(Limits.topLevelBoxes))
    }
    if box.type == "moov" || box.type == "ftyp" {
      guard !boxes.contains(where: { $0.type == box.type }) else { throw .duplicate(box.place) }
      // It is served in front of everything, which it would swallow.
      guard box.type == "moov" || !box.reachesEnd else { throw .malformed(box.place, "has no end") }
    }
    if box.type == "moov" {
      try refuseZeros(box)
      movieBuffer = try scanner.read(box, limit: Limits.movieBox)
    }
    boxes.append(box)
  }

  /// A sparse file may claim any number of zeros and take no room: they are counted before they are held.
  private mutating func refuseZeros(_ box: TopLevelBox) throws(MP4Error) {
    guard box.size > Limits.unquestionedMovieBox, box.size <= Limits.movieBox else { return }
    let page = 4_096
    var zeros: UInt64 = 0
    for start in stride(from: box.offset, to: box.end, by: 1 << 20) {
      let bytes = try scanner.read(start..<min(box.end, start + 1 << 20))
      for offset in stride(from: 0, to: bytes.count - bytes.count % page, by: page)
      where bytes[offset..<(offset + page)].allSatisfy({ $0 == 0 }) { zeros += UInt64(page) }
      guard zeros <= Limits.zerosInMovieBox else {
        throw .tooMuch(box.place, of: "bytes of zeros", limit: Limits.zerosInMovieBox)
      }
    }
  }

  /// The file ends inside a box: what is known of its movie is still worth a look, so that a broken one is refused.
  private mutating func cutShort(_ error: MP4Error) throws(MP4Error) -> Indexing {
    guard let movieBuffer else { return Indexing(outcome: .incomplete(error)) }
    let movie = try Movie(movieBuffer)
    let hasNothingYet = movie.allowsFragments && movie.sampleCount == 0
    return Indexing(
      outcome: .incomplete(hasNothingYet ? .noWholeFragment(length: scanner.length) : error),
      tracks: movie.tracks.map { TrackSummary($0, in: movie) })
  }

  private mutating func progressive(isTailDropped: Bool, _ error: MP4Error?) throws(MP4Error) -> Indexing {
    guard let movieBuffer else { return Indexing(outcome: .incomplete(.unfinished(length: scanner.length))) }
    var movie = try Movie(movieBuffer)
    let layout = ServedLayout(boxes)
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
      !isTailDropped && movie.brokenTracks.isEmpty && movieBuffer.fileOffset < mediaStart
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
