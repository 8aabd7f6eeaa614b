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
  private let file: RandomAccessFile
  /// Without quotes.
  let tag: String
  let index: SampleIndex
  /// The bytes of the index.
  let source: BoundComposition

  /// - Throws: `LibraryError`: as `Recording.openFile` and `openIndex`.
  init(_ recording: Recording, rebuilt: DerivedFiles?) throws(LibraryError) {
    let (file, content) = try recording.openFile()
    source = try recording.openIndex(rebuilt: rebuilt)
    do throws(SampleIndexError) {
      index = try SampleIndex(source)
    } catch {
      throw .indexDamaged(name: recording.name)
    }
    self.recording = recording
    self.file = file
    tag = content.tag
  }

  /// Whether it can be shown as a film.
  package var isFilm: Bool { index.shift != nil }

  // MARK: Parts

  /// A part of the film.
  ///
  /// - Throws: `LibraryError`: `.noSuchPart`, `.nothingToShow`, `.indexDamaged`.
  package func open(_ part: FilmPart) throws(LibraryError) -> Representation {
    switch part {
    case .initialization(let entry): try initialization(entry, named: "init") { $0.bytes }
    case .videoInitialization(let entry): try initialization(entry, named: "video") { $0.leadingAlone }
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
    return recording.representation(of: composition, in: file, entityTag: entityTag)
  }

  // MARK: Views of a recording

  /// The key frame at or before a second.
  package func keyFrame(at seconds: DecimalSeconds) throws(LibraryError) -> Representation {
    let picture = try made { () throws(ViewError) in try KeyFrame(at: seconds, of: index, source) }
    // A sample has its place in the file for itself, whatever second it was asked for by.
    let entityTag = VersionTag.entityTag(of: tag, view: "k\(KeyFrame.viewVersion)-\(picture.place)")
    return recording.representation(of: picture.composition, in: file, entityTag: entityTag)
  }

  /// Its key frames as a movie.
  package func keyFrames(every distance: DecimalSeconds, speed: Int) throws(LibraryError) -> Representation {
    let composition = try made { () throws(ViewError) in
      try KeyFrameMovie.make(every: distance, speed: speed, of: index, source)
    }
    let entityTag = VersionTag.entityTag(
      of: tag, view: "l\(KeyFrameMovie.viewVersion)-\(distance.nanoseconds)-\(speed)")
    return recording.representation(of: composition, in: file, entityTag: entityTag)
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
    return recording.representation(of: composition, in: file, entityTag: entityTag)
  }

  /// When its presentation ends, in nanoseconds.
  var end: Int64 { index.leading.timing.nanoseconds(index.end) }

  // MARK: Playlists

  /// The multivariant playlist, of the URLs of two others relative to it.
  package func variants(media: String, keyFrames: String) throws(LibraryError) -> Representation {
    playlist(
      try made { () throws(ViewError) in
        try FilmVariants.playlist(of: index, source, media: media, keyFrames: keyFrames)
      })
  }

  /// The playlist of segments.
  ///
  /// - Parameter prefix: what stands before the parts' names in their relative URLs.
  package func mediaPlaylist(prefix: String) throws(LibraryError) -> Representation {
    playlist(
      try made { () throws(ViewError) in
        var playlist = FilmPlaylist(.whole)
        try playlist.append(
          segments: 0..<index.segmentCount, of: index, source, start: recording.startedAt, prefix: prefix)
        return playlist.text()
      })
  }

  /// The playlist of key frames.
  package func keyFramePlaylist(prefix: String) throws(LibraryError) -> Representation {
    playlist(
      try made { () throws(ViewError) in
        var playlist = FilmPlaylist(.keyFrames)
        try playlist.append(keyFramesOf: index, source, start: recording.startedAt, prefix: prefix)
        return playlist.text()
      })
  }

  private func playlist(_ text: [UInt8]) -> Representation { representation(ofPlaylist: text) }

  /// A playlist in which it is one of others, or alone.
  func representation(ofPlaylist text: [UInt8]) -> Representation {
    recording.representation(ofText: text, mediaType: FilmPlaylist.mediaType, in: file)
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
        guard index.segmentCount > 0 else { return 0..<0 }
        var first = try index.segment(at: start, source)
        if isCutAtStart, try index.segmentRows(first..<(first + 1), source)[0].time < start { first += 1 }
        var upper = try index.segment(at: end - 1, source) + 1
        if isCutAtEnd {
          let next = upper < index.segmentCount ? try index.segmentRows(upper..<(upper + 1), source)[0].time : index.end
          if next > end { upper -= 1 }
        }
        return first..<max(first, upper)
      } catch {
        throw ViewError.index(error)
      }
    }
  }

  /// A view of several recordings, whose files are the composition's sources in their order.
  ///
  /// - Precondition: there is one at least.
  static func representation(of composition: Composition, in films: [OpenFilm], entityTag: String) -> Representation {
    let sources = films.map {
      Representation.Source(file: $0.file, version: $0.recording.version, validity: $0.recording.validity)
    }
    return Representation(
      mediaType: Recording.MediaType.mp4.rawValue, entityTag: "\"\(entityTag)\"", lastModified: nil,
      bytes: BoundComposition(composition, of: films.map(\.file)), file: sources[0].file, version: sources[0].version,
      validity: sources[0].validity, others: Array(sources.dropFirst()))
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
