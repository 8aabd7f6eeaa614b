internal import FootageAnswers
internal import FootageAPI
internal import FootageBase
internal import FootageHTTP
internal import FootageMedia

/// A source that answers from memory. Every client may see everything.
final class MemorySource: RecordingSource {
  /// No request has a body that could be unavailable.
  typealias BodyFailure = Never

  private let library: MemoryLibrary
  private let contents: MemoryContents
  private let keep: (Bool, String) -> Bool

  /// - Parameters:
  ///   - now: the time by the robot's clock.
  ///   - keep: protects or releases a recording, and returns true if the recording exists.
  init(_ library: MemoryLibrary, now: UnixTimestamp, keep: @escaping (Bool, String) -> Bool) {
    self.library = library
    self.keep = keep
    contents = MemoryContents(library: library, now: now)
  }

  private static let access = Access.viewer(ViewerRights(cameras: .all, permissions: [.keep, .release, .status]))

  /// The header of all lists, with the rights that an app asks for.
  private var header: ListHeader { ListHeader(robot: library.robot, may: ["keep", "release"]) }

  // MARK: Answers

  func access(of head: RequestHead) -> Access { Self.access }

  var refusalOfChanges: HTTPProblem? { nil }

  func has(_ resource: Resource, for head: RequestHead) -> Bool { true }

  func page(for head: RequestHead) -> HTTPResponse { .problem(.notFound("A robot in memory has no page.")) }

  func metrics(for head: RequestHead) -> HTTPResponse { .problem(.notFound("A robot in memory has no metrics.")) }

  func health(isLive: Bool, for head: RequestHead) -> HTTPResponse {
    .document(
      HTTPDocument(.ok, mediaType: "application/json", bytes: Array(#"{"status":"ok","reasons":[]}"#.utf8)))
  }

  func list(_ query: ListQuery, for head: RequestHead) -> HTTPResponse {
    .json(contents.page(of: query, for: .all, header, at: contents.now) ?? [])
  }

  func cameras(ofRobot robot: String?, for head: RequestHead) -> HTTPResponse {
    var json = JSONWriter()
    CameraList(header: header, cameras: contents.cameras() ?? []).write(into: &json)
    return .json(json.document)
  }

  func recording(_ name: String, _ view: RecordingView, for head: RequestHead) -> HTTPResponse {
    guard let recording = library.recording(name) else { return .problem(.noSuchRecording) }
    if case .details = view {
      var json = JSONWriter()
      recording.item.write(into: &json)
      return .json(json.document)
    }
    switch recording.item.state {
    case .ready: break
    case .refused(let reason): return .problem(.refused(reason))
    case .recording, .other: return .problem(.notReady)
    }
    if let version = view.version, version != recording.tag { return .problem(.gone) }
    return recording.answer(to: view)
  }

  func camera(_ name: String?, _ view: CameraView, for head: RequestHead) -> HTTPResponse {
    switch view {
    case .timeline(let query): return timeline(ofCamera: name, query)
    case .playlist(let from, let to):
      let end = end(to)
      return playlist(ofCamera: name, from: from ?? end.advanced(byMilliseconds: -60_000), to: end)
    case .clip(let from, let to): return clip(ofCamera: name, from: from, to: end(to))
    case .protection: return .problem(.noSuchRecording)
    }
  }

  func film(_ address: FilmAddress, _ part: FilmPart, for head: RequestHead) -> HTTPResponse {
    guard let recording = library.recordings.first(where: { $0.has(address) }) else { return .problem(.gone) }
    return recording.movie(ofTrack: address.track) { (views) throws(ViewError) in try views.part(part) }
  }

  /// Protects or releases a single recording. This source cannot protect a time range of a camera.
  func change(_ resource: Resource, for head: RequestHead) -> HTTPResponse {
    guard case .recording(let name, .protection) = resource, keep(head.method == .put, name) else {
      return .problem(.noSuchRecording)
    }
    return .document(HTTPDocument(.noContent, mediaType: "", bytes: []))
  }

  // MARK: The time of a camera

  private func end(_ end: ViewEnd) -> UnixTimestamp {
    if case .at(let moment) = end { moment } else { contents.now }
  }

  private func timeline(ofCamera camera: String?, _ query: TimelineQuery) -> HTTPResponse {
    let window: TimelineWindow
    do throws(ResourceError) { window = try TimelineWindow(query, now: contents.now) } catch {
      return .problem(HTTPProblem(error))
    }
    guard let timeline = contents.timeline(ofCamera: camera, window, rows: query.rows, for: .all, header) else {
      return .problem(.noSuchCamera)
    }
    var json = JSONWriter()
    timeline.write(into: &json)
    return .json(json.document)
  }

  /// Returns the playable parts of a camera's timeline within a range, each with its recording.
  private func parts(
    ofCamera camera: String?, _ range: Range<UnixTimestamp>
  ) -> [(part: Timeline<RecordingItem>.Part, recording: MemoryLibrary.Recording, views: RecordingViews)] {
    let own = library.recordings(ofCamera: camera).reversed().filter { $0.views?.isFilm == true }
    return Timeline(own.map(\.entry), in: range).parts.compactMap { part in
      guard let recording = library.recording(part.recording.name), let views = recording.views else { return nil }
      return (part, recording, views)
    }
  }

  private static let nothingThen = HTTPProblem(noFootageBefore: nil, after: nil)
  private static let endsBeforeItBegins = HTTPProblem(
    .badRequest, .badQuery, "The parameter from must be before to.")

  private func playlist(ofCamera camera: String?, from: UnixTimestamp, to: UnixTimestamp) -> HTTPResponse {
    guard from < to else { return .problem(Self.endsBeforeItBegins) }
    guard !library.recordings(ofCamera: camera).isEmpty else { return .problem(.noSuchCamera) }
    var playlist = FilmPlaylist(.segments)
    let parts = parts(ofCamera: camera, from..<to)
    var choice = FilmSoundChoice(isGrowing: false)
    for (part, _, views) in parts {
      choice.add(views.index.soundKind, milliseconds: part.to.milliseconds - part.from.milliseconds)
    }
    for (part, recording, views) in parts {
      guard let sound = choice.sound(of: views.index.soundKind) else { continue }
      let start = recording.item.startedAt
      do throws(ViewError) {
        let segments = try views.segments(
          of: (part.from.milliseconds - start.milliseconds)..<(part.to.milliseconds - start.milliseconds),
          isCutAtStart: part.from > start && part.from > from,
          isCutAtEnd: part.to < recording.entry.to && part.to < to)
        guard !segments.isEmpty else { continue }
        try playlist.append(
          segments: segments, of: views.index, views.source, start: start,
          prefix: "../" + recording.filmAddress().folder + sound.folder)
      } catch { return .problem(HTTPProblem(error)) }
    }
    guard playlist.entryCount > 0 else { return .problem(Self.nothingThen) }
    return .playlist(playlist.text())
  }

  private func clip(ofCamera camera: String?, from: UnixTimestamp, to: UnixTimestamp) -> HTTPResponse {
    guard from < to else { return .problem(Self.endsBeforeItBegins) }
    guard !library.recordings(ofCamera: camera).isEmpty else { return .problem(.noSuchCamera) }
    var clip = Clip()
    var sources: [[UInt8]] = []
    var last: UnixTimestamp?
    let parts = parts(ofCamera: camera, from..<to)
    for (number, (part, recording, views)) in parts.enumerated() {
      let start = recording.item.startedAt.milliseconds
      let lower = (part.from.milliseconds - start) * 1_000_000
      let upper = part.to == recording.entry.to ? views.end : (part.to.milliseconds - start) * 1_000_000
      let gap = last.map { max(0, part.from.milliseconds - $0.milliseconds) * 1_000_000 } ?? 0
      do throws(ViewError) {
        try clip.append(
          Clip.Wanted(times: lower..<max(upper, lower + 1), gap: gap, isLast: number == parts.count - 1),
          of: views.index, views.source)
      } catch {
        if case .outside = error { continue }
        return .problem(HTTPProblem(error))
      }
      sources.append(recording.bytes)
      last = part.to
    }
    guard !sources.isEmpty, let composition = try? clip.composition() else { return .problem(Self.nothingThen) }
    let bytes = composition.bytes(of: sources)
    return .representation(
      bytes, mediaType: "video/mp4", entityTag: "\"\(SampleRecording.digest(of: bytes))-m\(Clip.viewVersion)\"")
  }
}

extension MemoryLibrary.Recording {
  fileprivate func answer(to view: RecordingView) -> HTTPResponse {
    let name = item.name
    switch view {
    case .details, .raw, .protection, .manifest:
      return .problem(.notFound("A robot in memory does not have this view."))
    case .movie: return .representation(bytes, mediaType: "video/mp4", entityTag: item.entityTag ?? "")
    case .keyFrame(let seconds, let track, _):
      return movie(ofTrack: track) { (views) throws(ViewError) in try views.keyFrame(at: seconds) }
    case .keyFrames(let distance, let speed, let track, _):
      return movie(ofTrack: track) { (views) throws(ViewError) in try views.keyFrames(every: distance, speed: speed) }
    case .clip(let start, let end, let track, _):
      return movie(ofTrack: track) { (views) throws(ViewError) in try views.clip(start: start, end: end) }
    case .playlist(let track):
      let query = track.map { "?track=\($0)" } ?? ""
      let base = PercentEncoding.encodePath(name.split(separator: "/").last.map(String.init) ?? name)
      return playlist(ofTrack: track) { (views) throws(ViewError) in
        try views.variants(media: "\(base).media.m3u8\(query)", keyFrames: "\(base).iframes.m3u8\(query)")
      }
    case .mediaPlaylist(_, let track):
      return playlist(ofTrack: track) { [item, prefix = prefix(ofTrack: track)] (views) throws(ViewError) in
        try views.mediaPlaylist(from: item.startedAt, prefix: prefix)
      }
    case .keyFramePlaylist(_, let track):
      return playlist(ofTrack: track) { [item, prefix = prefix(ofTrack: track)] (views) throws(ViewError) in
        try views.keyFramePlaylist(from: item.startedAt, prefix: prefix)
      }
    case .index:
      guard let views, let bytes = try? views.source.bytes(at: 0, count: Int(clamping: views.source.length)) else {
        return .problem(.noFilm)
      }
      return .representation(bytes, mediaType: "application/octet-stream", entityTag: entityTag(ofView: "i1"))
    }
  }

  /// The relative path from the location of its playlists to its parts.
  private func prefix(ofTrack track: Int?) -> String {
    String(repeating: "../", count: item.name.count { $0 == "/" } + 1) + filmAddress(ofTrack: track).folder
  }

  private func entityTag(ofView label: String, track: Int? = nil) -> String {
    let label = track.map { "t\($0)-\(label)" } ?? label
    return "\"\(VersionTag.entityTag(of: String((item.entityTag ?? "\"\"").dropFirst().dropLast()), view: label))\""
  }

  fileprivate func movie(
    ofTrack track: Int?, _ make: (RecordingViews) throws(ViewError) -> RecordingViews.View
  ) -> HTTPResponse {
    guard let views = views(ofTrack: track) else { return .problem(track == nil ? .noFilm : .noTrack) }
    do throws(ViewError) {
      let view = try make(views)
      guard let served = views.index.places.served(view.composition) else { throw .noSuchPart }
      return .representation(
        served.bytes(of: [bytes]), mediaType: "video/mp4", entityTag: entityTag(ofView: view.label, track: track))
    } catch { return .problem(HTTPProblem(error)) }
  }

  private func playlist(
    ofTrack track: Int?, _ make: (RecordingViews) throws(ViewError) -> [UInt8]
  ) -> HTTPResponse {
    guard let views = views(ofTrack: track) else { return .problem(track == nil ? .noFilm : .noTrack) }
    do throws(ViewError) { return .playlist(try make(views)) } catch {
      return .problem(HTTPProblem(error))
    }
  }
}

extension HTTPProblem {
  fileprivate static let noFilm = HTTPProblem(
    .notFound, .noSuchView, "This recording cannot be shown as a film: play it as it is.")

  fileprivate static let noTrack = HTTPProblem(
    .notFound, .noSuchView, "There is no film of this video track: the item lists the tracks.")

  fileprivate init(_ error: ViewError) {
    self =
      switch error {
      case .tooLong(let reason): HTTPProblem(.badRequest, .tooLong, reason)
      case .outside: .outside
      case .formatsDiffer: HTTPProblem(.conflict, .formatsDiffer, error.description)
      default: HTTPProblem(.notFound, .noSuchView, error.description)
      }
  }
}

extension HTTPResponse {
  fileprivate static func problem(_ problem: HTTPProblem) -> HTTPResponse { .document(problem.document) }

  fileprivate static func json(_ document: [UInt8]) -> HTTPResponse {
    .representation(DocumentBody(isShared: true) { document })
  }

  fileprivate static func playlist(_ text: [UInt8]) -> HTTPResponse {
    .representation(
      text, mediaType: FilmPlaylist.mediaType, entityTag: "\"\(SampleRecording.digest(of: text))\"")
  }

  /// - Parameter entityTag: the tag, including its quotes.
  fileprivate static func representation(_ bytes: [UInt8], mediaType: String, entityTag: String) -> HTTPResponse {
    guard let tag = EntityTag(entityTag) else { return .problem(.noFilm) }
    return .representation(
      DocumentBody(
        bytes, RepresentationMetadata(length: UInt64(bytes.count), mediaType: mediaType, entityTag: tag)))
  }
}

extension Composition {
  /// - Parameter sources: the bytes of the sources of slices, by number.
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
