internal import Digest
package import FootageAPI
package import Formats
internal import ISOMedia
internal import Storage
internal import System

/// A recording that is open for views of it: the recorder's file, and the index of its samples.
///
/// Holds both for as long as it lives. What is not said to be cheap blocks: not for an event loop.
package final class OpenFilm: Sendable {
  package let recording: Recording
  private let file: Representation.Source
  /// What its parts are named after: of a version, its tag without quotes; of what grows, or has grown, its ID.
  let tag: String
  let index: SampleIndex
  /// The bytes of the index.
  let source: any ByteSource & Sendable
  /// Of its presentation.
  let start: UnixTimestamp
  /// Of what grows, or has grown; nil of a version.
  private let growth: Growth?

  /// How much of what grows stays as it is.
  private struct Growth {
    /// As long as more may come.
    let whole: (segments: Int, blocks: Int)?
  }

  /// A version of a recording.
  ///
  /// - Throws: `LibraryError`: as `Recording.openFile` and `openIndex`.
  init(_ recording: Recording, rebuilt: DerivedFiles?) throws(LibraryError) {
    let (file, content) = try recording.openFile()
    let source = try recording.openIndex(rebuilt: rebuilt)
    index = try Self.index(source, of: recording)
    self.source = source
    self.recording = recording
    self.file = recording.source(file)
    tag = content.tag
    start = recording.startedAt
    growth = nil
  }

  /// What grows, as it is now, or has grown within the last day.
  ///
  /// - Throws: `LibraryError`: `.changed` where the file is another one by now, or gone; `.indexDamaged`, `.storage`.
  init(_ film: GrowingFilm, of recording: Recording) throws(LibraryError) {
    self.recording = recording
    tag = film.id.text
    start = film.start.moment
    switch film.now {
    case .growing(let growing):
      index = growing.index
      source = growing.source
      file = Representation.Source(
        file: growing.file, condition: .reaches(growing.index.fileLength), validity: film.validity)
      growth = Growth(whole: (growing.source.wholeSegments, growing.source.wholeBlocks))
    case .closed(let closed, _):
      let opened = try Self.file(of: film, closed, recording)
      let stored: BoundComposition
      do throws(StorageError) {
        stored = try film.storedIndex.open(
          recording.place.index(tag), length: closed.indexLength, digest: closed.indexDigest, rebuilt: nil)
      } catch { throw error.isForWantOfRoom ? .storage(error) : .indexDamaged(name: recording.name) }
      index = try Self.index(stored, of: recording)
      source = stored
      file = Representation.Source(
        file: opened, condition: .unchanged(opened.openingStatus.version), validity: film.validity)
      growth = Growth(whole: nil)
    }
  }

  private static func index(_ source: some ByteSource, of recording: Recording) throws(LibraryError) -> SampleIndex {
    do throws(SampleIndexError) { return try SampleIndex(source) } catch { throw .indexDamaged(name: recording.name) }
  }

  private static func file(
    of film: GrowingFilm, _ closed: ClosedFilm, _ recording: Recording
  ) throws(LibraryError) -> RandomAccessFile {
    let file: RandomAccessFile
    do throws(StorageError) { file = try recording.place.open(film.path) } catch {
      throw error.isForWantOfRoom ? .storage(error) : .changed(name: recording.name)
    }
    var version = file.openingStatus.version
    version.device = closed.version.device
    guard version == closed.version else { throw .changed(name: recording.name) }
    return file
  }

  /// Whether it can be shown as a film.
  package var isFilm: Bool { index.shift != nil }

  /// Whether more of it may come.
  package var isGrowing: Bool { growth?.whole != nil }

  /// How many segments there are that stay as they are.
  var segmentCount: Int { growth?.whole?.segments ?? index.segmentCount }

  // MARK: Parts

  /// A part of the film.
  ///
  /// - Throws: `LibraryError`: `.noSuchPart`, `.nothingToShow`, `.indexDamaged`.
  package func open(_ part: FilmPart) throws(LibraryError) -> Representation {
    switch part {
    case .initialization(let entry): try initialization(entry, named: "init") { $0.bytes }
    case .videoInitialization(let entry): try initialization(entry, named: "video") { $0.leadingAlone }
    case .segment(let number) where number >= segmentCount: throw .noSuchPart(name: recording.name)
    case .keyFrame(let number) where number >= growth?.whole?.blocks ?? index.blockCount:
      throw .noSuchPart(name: recording.name)
    case .segment(let number):
      representation(
        of: try made { () throws(ViewError) in try FilmSegment.segment(number, of: index, source) }, "s\(number)")
    case .keyFrame(let number):
      representation(
        of: try made { () throws(ViewError) in try FilmSegment.keyFrame(number, of: index, source) }, "f\(number)")
    // Of what grows alone.
    case .next: throw .noSuchPart(name: recording.name)
    }
  }

  private func initialization(
    _ entry: Int, named name: String, _ bytes: (SampleIndex.Initialization) -> [UInt8]
  ) throws(LibraryError) -> Representation {
    guard isFilm, index.initializations.indices.contains(entry) else { throw .noSuchPart(name: recording.name) }
    return representation(of: Composition(bytes(index.initializations[entry]), then: []), "\(name)\(entry)")
  }

  /// - Parameter view: tells it apart from other parts of the same version.
  private func representation(of composition: Composition, _ view: String) -> Representation {
    let entityTag = VersionTag.entityTag(of: tag, view: "h\(FilmSegment.viewVersion)-\(view)")
    return bound(composition, entityTag: entityTag)
  }

  // MARK: Views of a recording

  /// The key frame at or before a second.
  package func keyFrame(at seconds: DecimalSeconds) throws(LibraryError) -> Representation {
    let picture = try made { () throws(ViewError) in try KeyFrame(at: seconds, of: index, source) }
    // A sample has its place in the file for itself, whatever second it was asked for by.
    let entityTag = VersionTag.entityTag(of: tag, view: "k\(KeyFrame.viewVersion)-\(picture.place)")
    return bound(picture.composition, entityTag: entityTag)
  }

  /// Its key frames as a movie.
  package func keyFrames(every distance: DecimalSeconds, speed: Int) throws(LibraryError) -> Representation {
    let composition = try made { () throws(ViewError) in
      try KeyFrameMovie.make(every: distance, speed: speed, of: index, source)
    }
    let entityTag = VersionTag.entityTag(
      of: tag, view: "l\(KeyFrameMovie.viewVersion)-\(distance.nanoseconds)-\(speed)")
    return bound(composition, entityTag: entityTag)
  }

  /// A part of it as one movie.
  ///
  /// - Parameters:
  ///   - start: nil for its beginning.
  ///   - end: nil for its end; what is beyond that is the end.
  /// - Throws: `LibraryError`: `.outside` where it ends before, `.tooLong`.
  package func clip(start: DecimalSeconds?, end: DecimalSeconds?) throws(LibraryError) -> Representation {
    let lower = start?.nanoseconds ?? 0
    let upper = min(end?.nanoseconds ?? .max, self.end)
    guard lower < upper else { throw .outside(name: recording.name) }
    guard upper - lower <= LibraryLimits.clipNanoseconds else { throw .tooLong(LibraryLimits.clipIsTooLong) }
    let composition = try made { () throws(ViewError) in
      var clip = Clip()
      try clip.append(Clip.Wanted(times: lower..<upper), of: index, source)
      return try clip.composition()
    }
    let entityTag = VersionTag.entityTag(of: tag, view: "c\(Clip.viewVersion)-\(lower)-\(upper)")
    return bound(composition, entityTag: entityTag)
  }

  /// When its presentation ends, in nanoseconds.
  var end: Int64 { index.leading.timing.nanoseconds(index.end) }

  // MARK: Playlists

  /// The multivariant playlist, of the URLs of two others relative to it.
  package func variants(media: String, keyFrames: String) throws(LibraryError) -> Representation {
    playlist(
      try made { () throws(ViewError) in
        try FilmVariants.playlist(of: index, source, media: media, keyFrames: keyFrames, isGrowing: isGrowing)
      })
  }

  /// The playlist of segments.
  ///
  /// - Parameter prefix: what stands before the parts' names in their relative URLs.
  package func mediaPlaylist(prefix: String) throws(LibraryError) -> Representation {
    playlist(
      try made { () throws(ViewError) in
        var playlist = FilmPlaylist(growth == nil ? .whole : .growing)
        try playlist.append(segments: 0..<segmentCount, of: index, source, start: start, prefix: prefix)
        return playlist.text(isComplete: !isGrowing)
      })
  }

  /// The playlist of key frames.
  package func keyFramePlaylist(prefix: String) throws(LibraryError) -> Representation {
    playlist(
      try made { () throws(ViewError) in
        var playlist = FilmPlaylist(.keyFrames)
        try playlist.append(keyFramesOf: index, upTo: growth?.whole?.blocks, source, start: start, prefix: prefix)
        return playlist.text(isComplete: !isGrowing)
      })
  }

  private func playlist(_ text: [UInt8]) -> Representation { representation(ofPlaylist: text) }

  /// A playlist in which it is one of others, or alone, tagged by its words.
  func representation(ofPlaylist text: [UInt8]) -> Representation {
    Representation(
      mediaType: FilmPlaylist.mediaType, entityTag: "\"\(Hexadecimal.encode(SHA256.hash(text).prefix(16)))\"",
      lastModified: nil, bytes: BoundComposition(text), source: file)
  }

  /// - Parameter entityTag: without quotes.
  private func bound(_ composition: Composition, entityTag: String) -> Representation {
    Representation(
      mediaType: Recording.MediaType.mp4.rawValue, entityTag: "\"\(entityTag)\"",
      lastModified: growth == nil ? recording.lastModified : nil, bytes: BoundComposition(composition, of: [file.file]),
      source: file)
  }

  /// Which segments show a time.
  ///
  /// - Parameters:
  ///   - times: on the line of the presentation, in milliseconds.
  ///   - isCutAtStart: whether what is before that time must not be shown; else the first segment may begin before.
  ///   - isCutAtEnd: the same of what is behind it.
  func segments(of times: Range<Int64>, isCutAtStart: Bool, isCutAtEnd: Bool) throws(LibraryError) -> Range<Int> {
    try made { () throws(ViewError) in
      do throws(SampleIndexError) {
        let start = index.leading.timing.ticks(milliseconds: times.lowerBound)
        let end = index.leading.timing.ticks(milliseconds: times.upperBound)
        guard segmentCount > 0 else { return 0..<0 }
        var first = try index.segment(at: start, source)
        if isCutAtStart, try index.segmentRows(first..<(first + 1), source)[0].time < start { first += 1 }
        var upper = try index.segment(at: end - 1, source) + 1
        if isCutAtEnd {
          let next = upper < index.segmentCount ? try index.segmentRows(upper..<(upper + 1), source)[0].time : index.end
          if next > end { upper -= 1 }
        }
        return min(first, segmentCount)..<min(max(first, upper), segmentCount)
      } catch {
        throw ViewError.index(error)
      }
    }
  }

  /// A view of several recordings, whose files are the composition's sources in their order.
  ///
  /// - Precondition: there is one at least.
  static func representation(of composition: Composition, in films: [OpenFilm], entityTag: String) -> Representation {
    Representation(
      mediaType: Recording.MediaType.mp4.rawValue, entityTag: "\"\(entityTag)\"", lastModified: nil,
      bytes: BoundComposition(composition, of: films.map(\.file.file)), source: films[0].file,
      others: films.dropFirst().map(\.file))
  }

  /// What a view comes to.
  private func made<Made>(_ make: () throws(ViewError) -> Made) throws(LibraryError) -> Made {
    do throws(ViewError) { return try make() } catch { throw LibraryError(error, of: recording.name) }
  }
}

extension LibraryError {
  /// Why there is no view of a recording.
  init(_ error: ViewError, of name: String) {
    switch error {
    case .noVideo, .noKeyFrame, .noParameterSets, .noFilm, .broken, .formatsDiffer:
      self = .nothingToShow(name: name, reason: error.description)
    case .noSuchPart: self = .noSuchPart(name: name)
    case .tooLong(let reason): self = .tooLong(reason)
    case .outside: self = .outside(name: name)
    case .index: self = .indexDamaged(name: name)
    }
  }
}
