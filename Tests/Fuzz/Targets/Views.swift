/// Views of any accepted movie: each can be made or is refused, and none leaves the file.

internal import FootageBase
internal import FootageMedia

enum Views {
  static func check(_ tables: MovieTables, _ bytes: [UInt8]) throws(Finding) {
    guard let made = try? SampleIndex.make(of: tables, media: MemoryByteSource(bytes)), !made.bytes.isEmpty else {
      return
    }
    let source = MemoryByteSource(made.bytes)
    let index: SampleIndex
    do throws(SampleIndexError) { index = try SampleIndex(source) } catch {
      throw Finding(description: "a new index is none: \(error)")
    }
    try expect((try? index.blocks(0..<index.blockCount, source)) != nil, "a new index has blocks that are none")
    for nanoseconds in [0, 1, 333_333_333, 1_000_000_000, 5_500_000_000, 999_999_999_999_999_999] as [Int64] {
      guard let time = DecimalSeconds(nanoseconds: nanoseconds) else { continue }
      try checkMovie(try? KeyFrame(at: time, of: index, source).composition, "picture at \(nanoseconds)", bytes)
      try checkMovie(
        try? KeyFrameMovie.make(every: time, speed: 8, of: index, source), "lapse of \(nanoseconds)", bytes)
      var clip = Clip()
      guard (try? clip.append(Clip.Wanted(times: nanoseconds / 2..<nanoseconds + 1), of: index, source)) != nil
      else { continue }
      try checkMovie(try? clip.composition(), "clip to \(nanoseconds)", bytes)
    }
    guard index.shift != nil else { return }
    for number in Set([0, 1, index.segmentCount / 2, index.segmentCount - 1]) where number < index.segmentCount {
      let segment = try mapError(
        { (error: ViewError) in Finding(description: "segment \(number) cannot be made: \(error)") },
        try FilmSegment.segment(number, of: index, source))
      _ = try content(of: segment, bytes)
      for sound in [FilmSound.mute, .silence(.aac), .silence(.flac)] where index.leading.handler == "vide" {
        let silent = try mapError(
          { (error: ViewError) in Finding(description: "segment \(number) cannot be made silent: \(error)") },
          try FilmSegment.segment(number, of: index, source, sound: sound))
        _ = try content(of: silent, bytes)
      }
    }
    if index.leading.handler == "vide" {
      let views = RecordingViews(index, source)
      for number in index.initializations.indices {
        _ = try mapError(
          { (error: ViewError) in Finding(description: "no init segment with silence: \(error)") },
          try views.initialization(number, sound: .silence(.opus)))
      }
    }
    for number in 0..<min(3, index.blockCount) {
      if let frame = try? FilmSegment.keyFrame(number, of: index, source) { _ = try content(of: frame, bytes) }
    }
    var playlist = FilmPlaylist(.segments)
    let start = UnixTimestamp(milliseconds: 0)
    _ = try? playlist.append(segments: 0..<index.segmentCount, of: index, source, start: start, prefix: "")
    var keys = FilmPlaylist(.keyFrames)
    _ = try? keys.append(keyFramesOf: index, source, start: start, prefix: "")
    _ = try? FilmVariants.playlist(of: index, source, media: "m", keyFrames: "k")
  }

  private static func checkMovie(_ view: Composition?, _ name: String, _ bytes: [UInt8]) throws(Finding) {
    guard let view else { return }
    guard case .ready(let index) = try? MovieIndex.make(of: MemoryByteSource(try content(of: view, bytes))) else {
      throw Finding(description: "the \(name) is no movie")
    }
    let isMended = index.notes.contains { $0.hasPrefix("durations that are negative") }
    try expect(isMended || index.preamble.isEmpty, "the \(name) is not served as it is")
  }

  private static func content(of view: Composition, _ bytes: [UInt8]) throws(Finding) -> [UInt8] {
    var content: [UInt8] = []
    for slice in view.slices {
      switch slice {
      case .literal(let literal): content += literal
      case .range(_, let range):
        try expect(range.upperBound <= UInt64(bytes.count), "\(range) leaves the file")
        content += bytes[Int(range.lowerBound)..<Int(range.upperBound)]
      }
    }
    return content
  }
}
