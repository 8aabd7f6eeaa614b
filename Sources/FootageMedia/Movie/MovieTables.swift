package import FootageBase

/// The samples of a recording, by time and by number, read from its served bytes. Views are made from them.
package struct MovieTables: Sendable {
  /// All bytes that are served. The positions of samples are offsets in it, and its ranges map them to the recorder's
  /// file.
  package let composition: Composition
  /// The tracks in file order. Each access builds them again, with a walk over all of their tables.
  package var tracks: [TrackTables] { movie.tracks.map { TrackTables($0, of: movie) } }
  let movie: Movie
  /// The whole `ftyp`, or nil if there is none.
  let fileType: BoxBuffer?

  /// Reads the part before the media: box headers, `ftyp` and `moov`. May block.
  ///
  /// - Parameters:
  ///   - served: the bytes of `composition`, or its first bytes up to the end of `moov`.
  ///   - composition: all bytes that are served, with `moov` before the media.
  /// - Throws: `MP4Error`, which is `unfinished` if there is no `moov` before the media.
  package init(served: some ByteSource, of composition: Composition) throws(MP4Error) {
    var scanner = TopLevelScanner(served)
    try self.init(&scanner, of: composition) { (scanner, box) throws(MP4Error) in
      try scanner.read(box, limit: Limits.servedMovieBox)
    }
  }

  /// Reads the tables from a preamble, which is not copied.
  init(preamble: [UInt8], of composition: Composition) throws(MP4Error) {
    var scanner = TopLevelScanner(MemoryByteSource(preamble))
    try self.init(&scanner, of: composition) { (_, box) in BoxBuffer(beginning: preamble, upTo: box) }
  }

  private init<Source>(
    _ scanner: inout TopLevelScanner<Source>, of composition: Composition,
    moov: (inout TopLevelScanner<Source>, TopLevelBox) throws(MP4Error) -> BoxBuffer
  ) throws(MP4Error) {
    var fileType: BoxBuffer?
    while true {
      guard case .box(let box) = try scanner.next() else { throw .unfinished(length: scanner.length) }
      if box.type == "ftyp" { fileType = try scanner.read(box, limit: Limits.fileTypeBox) }
      guard box.type == "moov" else { continue }
      self.init(try Movie(try moov(&scanner, box)), fileType: fileType, composition: composition)
      return
    }
  }

  private init(_ movie: Movie, fileType: BoxBuffer?, composition: Composition) {
    self.movie = movie
    self.fileType = fileType
    self.composition = composition
  }

  /// The video track that films show. It is nil if none has a sample.
  package var video: TrackTables? { movie.chosenVideoTrack().map { TrackTables($0, of: movie) } }
}
