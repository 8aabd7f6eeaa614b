internal import FootageAPI
internal import FootageCore
internal import FootageBase
internal import FootageMedia

extension MemoryLibrary {
  /// What a robot answers to a request that asks for something and changes nothing.
  ///
  /// - Parameter now: by the robot's clock.
  func answer(to target: String, now: UnixTimestamp) -> MemoryAnswer {
    let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    let resource: Resource
    do throws(ResourceError) {
      resource = try Resource(path: Array(parts[0])[...], query: parts.count > 1 ? Array(parts[1])[...] : nil)
    } catch {
      switch error {
      case .unknownPath: return .notFound("There is nothing here: GET /recordings lists what there is.")
      case .badQuery: return .problem(400, error.code, error.detail)
      }
    }
    switch resource {
    case .page, .metrics: return .notFound("A robot in memory has no page.")
    case .health: return MemoryAnswer(status: 200, bytes: Array(#"{"status":"ok","reasons":[]}"#.utf8))
    case .recordings(let query): return list(query)
    case .cameras: return cameras(now)
    case .recording(let name, let view): return answer(about: name, view)
    case .camera(let name, .timeline(let query)): return timeline(ofCamera: name, query, now)
    case .camera(let name, .playlist(let from, let to)):
      let end = if case .at(let moment) = to { moment } else { now }
      return playlist(ofCamera: name, from: from ?? end.advanced(byMilliseconds: -60_000), to: end)
    case .camera(let name, .clip(let from, let to)):
      let end = if case .at(let moment) = to { moment } else { now }
      return clip(ofCamera: name, from: from, to: end)
    case .camera(_, .protection): return .problem(405, .unknownMethod, "This is only changed.")
    case .film(let key, let part): return film(key, part)
    }
  }

  // MARK: A recording

  private func answer(about name: String, _ view: RecordingView) -> MemoryAnswer {
    guard let recording = recording(name) else {
      return .notFound("There is no recording of that name: GET /recordings lists what there is")
    }
    if case .details = view {
      var json = JSONWriter()
      recording.item.write(into: &json)
      return .json(json)
    }
    switch recording.item.state {
    case .ready: break
    case .refused(let reason): return .problem(404, .refused, reason)
    case .recording, .other: return .problem(404, .notReady, "It is still being recorded: try again later.")
    }
    if let version = view.version, version != recording.tag {
      return .problem(404, .gone, "It is another version by now: ask without v.")
    }
    return recording.answer(to: view)
  }

  private func film(_ key: FilmKey, _ part: FilmPart) -> MemoryAnswer {
    guard let recording = recordings.first(where: { $0.tag == key.versionTag }) else {
      return .problem(404, .gone, "This version is gone.")
    }
    return recording.movie { (views) throws(ViewError) in
      switch part {
      case .initialization(let entry): try views.initialization(entry)
      case .videoInitialization(let entry): try views.videoInitialization(entry)
      case .segment(let number): try views.segment(number)
      case .keyFrame(let number): try views.keyFrameSegment(number)
      // Of what grows alone.
      case .next: throw .noSuchPart
      }
    }
  }

  // MARK: A camera's time

  private func parts(
    ofCamera camera: String?, _ range: Range<UnixTimestamp>
  ) -> [Timeline<Recording>.Part] {
    Timeline(ofCamera(camera).reversed().filter { $0.views?.isFilm == true }.map(\.entry), in: range).parts
  }

  private static let nothingThen = MemoryAnswer.problem(404, .noFootage, "Nothing was recorded then.")

  private func playlist(ofCamera camera: String?, from: UnixTimestamp, to: UnixTimestamp) -> MemoryAnswer {
    guard from < to else { return .problem(400, .badQuery, "The end has to lie behind the beginning.") }
    guard !ofCamera(camera).isEmpty else { return .notFound("There is no camera of this name.") }
    var playlist = FilmPlaylist(.whole)
    for part in parts(ofCamera: camera, from..<to) {
      guard let views = part.recording.views else { continue }
      let start = part.recording.item.startedAt
      do throws(ViewError) {
        let segments = try views.segments(
          of: (part.from.milliseconds - start.milliseconds)..<(part.to.milliseconds - start.milliseconds),
          isCutAtStart: part.from > start && part.from > from,
          isCutAtEnd: part.to < part.recording.entry.to && part.to < to)
        guard !segments.isEmpty else { continue }
        try playlist.append(
          segments: segments, of: views.index, views.source, start: start,
          prefix: "../hls/\(part.recording.tag.text)/")
      } catch { return .problem(of: error) }
    }
    guard playlist.entryCount > 0 else { return Self.nothingThen }
    return MemoryAnswer(status: 200, bytes: playlist.text())
  }

  private func clip(ofCamera camera: String?, from: UnixTimestamp, to: UnixTimestamp) -> MemoryAnswer {
    guard from < to else { return .problem(400, .badQuery, "The end has to lie behind the beginning.") }
    guard !ofCamera(camera).isEmpty else { return .notFound("There is no camera of this name.") }
    var clip = Clip()
    var sources: [[UInt8]] = []
    var last: UnixTimestamp?
    let parts = parts(ofCamera: camera, from..<to)
    for (number, part) in parts.enumerated() {
      guard let views = part.recording.views else { continue }
      let start = part.recording.item.startedAt.milliseconds
      let lower = (part.from.milliseconds - start) * 1_000_000
      let upper = part.to == part.recording.entry.to ? views.end : (part.to.milliseconds - start) * 1_000_000
      let gap = last.map { max(0, part.from.milliseconds - $0.milliseconds) * 1_000_000 } ?? 0
      do throws(ViewError) {
        try clip.append(
          Clip.Wanted(times: lower..<max(upper, lower + 1), gap: gap, isLast: number == parts.count - 1),
          of: views.index, views.source)
      } catch {
        if case .outside = error { continue }
        return .problem(of: error)
      }
      sources.append(part.recording.bytes)
      last = part.to
    }
    guard !sources.isEmpty, let composition = try? clip.composition() else { return Self.nothingThen }
    let bytes = composition.bytes(of: sources)
    return MemoryAnswer(
      status: 200, entityTag: "\"\(SampleRecording.digest(of: bytes))-m\(Clip.viewVersion)\"", bytes: bytes)
  }
}

extension MemoryLibrary.Recording {
  fileprivate func answer(to view: RecordingView) -> MemoryAnswer {
    let name = item.name
    switch view {
    case .details, .raw, .protection, .manifest: return .notFound("A robot in memory has nothing of the kind.")
    case .movie: return MemoryAnswer(status: 200, entityTag: item.entityTag, bytes: bytes)
    case .keyFrame(let seconds, _): return movie { (views) throws(ViewError) in try views.keyFrame(at: seconds) }
    case .keyFrames(let distance, let speed, _):
      return movie { (views) throws(ViewError) in try views.keyFrames(every: distance, speed: speed) }
    case .clip(let start, let end, _):
      return movie { (views) throws(ViewError) in try views.clip(start: start, end: end) }
    case .playlist:
      let base = PercentEncoding.encodePath(name.split(separator: "/").last.map(String.init) ?? name)
      return playlist { (views) throws(ViewError) in
        try views.variants(media: "\(base).media.m3u8", keyFrames: "\(base).iframes.m3u8")
      }
    case .mediaPlaylist:
      return playlist { [prefix, item] (views) throws(ViewError) in
        try views.mediaPlaylist(from: item.startedAt, prefix: prefix)
      }
    case .keyFramePlaylist:
      return playlist { [prefix, item] (views) throws(ViewError) in
        try views.keyFramePlaylist(from: item.startedAt, prefix: prefix)
      }
    case .index:
      guard let views, let bytes = try? views.source.bytes(at: 0, count: Int(clamping: views.source.length)) else {
        return .problem(404, .noSuchView, "No film can be made of it.")
      }
      return MemoryAnswer(status: 200, entityTag: entityTag(ofView: "i1"), bytes: bytes)
    }
  }

  /// From where its playlists lie to its parts.
  private var prefix: String {
    String(repeating: "../", count: item.name.count { $0 == "/" } + 1) + "hls/\(tag.text)/"
  }

  private func entityTag(ofView label: String) -> String {
    "\"\(VersionTag.entityTag(of: String((item.entityTag ?? "\"\"").dropFirst().dropLast()), view: label))\""
  }

  fileprivate func movie(
    _ make: (RecordingViews) throws(ViewError) -> RecordingViews.View
  ) -> MemoryAnswer {
    guard let views else { return .problem(404, .noSuchView, "It is no movie.") }
    do throws(ViewError) {
      let view = try make(views)
      guard let served = views.index.places.served(view.composition) else { throw .noSuchPart }
      return MemoryAnswer(status: 200, entityTag: entityTag(ofView: view.label), bytes: served.bytes(of: [bytes]))
    } catch { return .problem(of: error) }
  }

  private func playlist(_ make: (RecordingViews) throws(ViewError) -> [UInt8]) -> MemoryAnswer {
    guard let views else { return .problem(404, .noSuchView, "It is no movie.") }
    do throws(ViewError) { return MemoryAnswer(status: 200, bytes: try make(views)) } catch {
      return .problem(of: error)
    }
  }
}

extension MemoryAnswer {
  fileprivate static func problem(of error: ViewError) -> MemoryAnswer {
    switch error {
    case .tooLong(let reason): problem(400, .tooLong, reason)
    case .outside: problem(400, .outside, error.description)
    case .formatsDiffer: problem(409, .formatsDiffer, error.description)
    default: problem(404, .noSuchView, error.description)
    }
  }
}

extension Composition {
  /// - Parameter sources: of its slices, by number.
  fileprivate func bytes(of sources: [[UInt8]]) -> [UInt8] {
    var made: [UInt8] = []
    made.reserveCapacity(Int(clamping: length))
    for slice in slices {
      switch slice {
      case .literal(let bytes): made += bytes
      case .range(let source, let range):
        guard sources.indices.contains(source) else { continue }
        made += sources[source][Int(clamping: range.lowerBound)..<Int(clamping: range.upperBound)]
      }
    }
    return made
  }
}
