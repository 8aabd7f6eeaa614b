package import FootageBase

/// A recording by time and by sample, out of the bytes that are served of it: what views are made of.
package struct MovieTables: Sendable {
  /// All that is served. Where samples lie counts in it; its ranges say where that is in the recorder's file.
  package let composition: Composition
  /// In the order of the file. Made anew whenever they are asked for, each in a walk over its tables.
  package var tracks: [TrackTables] { movie.tracks.map { TrackTables($0, of: movie) } }
  let movie: Movie
  /// All of `ftyp`; nil where there is none.
  let fileType: BoxBuffer?

  /// Reads what stands before the media: box headers, `ftyp` and `moov`. May block.
  ///
  /// - Parameters:
  ///   - served: the bytes of `composition`, or those of its first ones that `moov` ends in.
  ///   - composition: all that is served, `moov` before its media.
  /// - Throws: `MP4Error`, `unfinished` where no `moov` stands before the media.
  package init(served: some ByteSource, of composition: Composition) throws(MP4Error) {
    var scanner = TopLevelScanner(served)
    try self.init(&scanner, of: composition) { (scanner, box) throws(MP4Error) in
      try scanner.read(box, limit: Limits.servedMovieBox)
    }
  }

  /// As above, out of a preamble, which is not copied.
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

  /// The track of pictures that a player shows: the first that is enabled, else the first; nil where none has a sample.
  package var video: TrackTables? {
    let all = movie.tracks.filter { $0.handler == "vide" && $0.samples.count > 0 }
    return (all.first { $0.isEnabled(in: movie.buffer) } ?? all.first).map { TrackTables($0, of: movie) }
  }
}
