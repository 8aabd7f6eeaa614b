package import FootageBase

/// A form in which a recording is shown.
package enum RecordingView: Hashable, Sendable {
  /// The recording's entry in the list: `NAME.json`.
  case details
  /// The unchanged bytes of a refused file: `NAME.raw`.
  case raw
  /// The protection of the recording from deletion, which can be set and removed: `NAME.keep`.
  case protection
  /// The whole recording: `NAME.mp4`.
  ///
  /// - Parameter version: the version that is served, and never any other; nil for the current version.
  case movie(version: VersionTag?)
  /// The sync sample at or before a time of the presentation, as a movie of one sample: `NAME.mp4?keyframe=S`.
  ///
  /// - Parameter track: the number of the video track; nil for the one that films show. The same holds for all views.
  case keyFrame(at: DecimalSeconds, track: Int? = nil, version: VersionTag?)
  /// A part of the recording, cut at frames: `NAME.mp4?start=S&end=S`. At least one of the two times is given.
  ///
  /// - Parameters:
  ///   - start: nil for the recording's beginning.
  ///   - end: a time later than the start; nil for the recording's end.
  case clip(start: DecimalSeconds?, end: DecimalSeconds?, track: Int? = nil, version: VersionTag?)
  /// The sync samples only, as a movie: `NAME.mp4?keys=S&speed=N`.
  ///
  /// - Parameters:
  ///   - every: the length in seconds of the intervals of which only the first sync sample is shown; 0 for all sync
  ///     samples.
  ///   - speed: the factor by which they are shown faster, within `RecordingView.speeds`.
  case keyFrames(every: DecimalSeconds, speed: Int, track: Int? = nil, version: VersionTag?)
  /// The multivariant playlist of the film: `NAME.m3u8`.
  case playlist(track: Int? = nil)
  /// The media playlist of the film: `NAME.media.m3u8`.
  ///
  /// - Parameter id: the growing recording that the playlist must belong to until the recording ends; nil for the
  ///   recording that has the name now. It is nil if there is a track.
  case mediaPlaylist(id: ItemTag?, track: Int? = nil)
  /// The playlist of the film's key frames: `NAME.iframes.m3u8`.
  ///
  /// - Parameter id: the growing recording that the playlist must belong to until the recording ends; nil for the
  ///   recording that has the name now. It is nil if there is a track.
  case keyFramePlaylist(id: ItemTag?, track: Int? = nil)
  /// The index of the samples, from which all views are made: `NAME.index`.
  case index(version: VersionTag?)
  /// The item and the digests of all bytes, signed by the robot: `NAME.manifest`.
  case manifest(version: VersionTag?)

  /// The factors by which key frames can be shown faster.
  package static let speeds = 1...1_000

  /// The version that is served, and never any other; nil for the current version.
  package var version: VersionTag? {
    switch self {
    case .details, .raw, .protection, .playlist, .mediaPlaylist, .keyFramePlaylist: nil
    case .movie(let version), .keyFrame(_, _, let version), .clip(_, _, _, let version),
      .keyFrames(_, _, _, let version),
      .index(let version), .manifest(let version):
      version
    }
  }

  /// The number of the video track; nil for the one that films show, or for a view of the whole recording.
  package var track: Int? {
    switch self {
    case .details, .raw, .protection, .movie, .index, .manifest: nil
    case .playlist(let track), .mediaPlaylist(_, let track), .keyFramePlaylist(_, let track),
      .keyFrame(_, let track, _), .clip(_, _, let track, _), .keyFrames(_, _, let track, _):
      track
    }
  }
}

extension RecordingView {
  /// The endings of a target, after the name. The first case that matches counts, so longer endings come first:
  /// `x.media.m3u8` is the media playlist of `x`, even if there is a recording `x.media`.
  private enum Ending: String, CaseIterable {
    case mediaPlaylist = ".media.m3u8"
    case keyFramePlaylist = ".iframes.m3u8"
    case playlist = ".m3u8"
    case movie = ".mp4"
    case details = ".json"
    case index = ".index"
    case manifest = ".manifest"
    case raw = ".raw"
    case protection = ".keep"
  }

  /// - Parameters:
  ///   - path: the name with its ending, normalized and encoded.
  ///   - query: the query without its `?`.
  /// - Returns: the view and the name, which is still encoded.
  /// - Throws: `ResourceError.unknownPath`, `.badQuery`.
  static func read(
    _ path: ArraySlice<UInt8>, _ query: ArraySlice<UInt8>?
  ) throws(ResourceError) -> (name: ArraySlice<UInt8>, view: RecordingView) {
    guard let ending = Ending.allCases.first(where: { path.hasSuffix($0.rawValue) }) else { throw .unknownPath }
    let name = path.dropLast(ending.rawValue.utf8.count)
    guard !name.isEmpty else { throw .unknownPath }
    let view: RecordingView =
      switch ending {
      case .mediaPlaylist: .mediaPlaylist(id: try id(in: query), track: try track(in: query))
      case .keyFramePlaylist: .keyFramePlaylist(id: try id(in: query), track: try track(in: query))
      case .playlist: .playlist(track: try track(in: query))
      case .movie: try RecordingView(movieWith: try QueryParameters(query))
      case .details: .details
      case .index: .index(version: try versionOfIndex(in: query))
      case .manifest: .manifest(version: try version(in: query))
      case .raw: .raw
      case .protection: .protection
      }
    return (name, view)
  }

  /// Returns the version that the query names; nil if it names none or an empty one.
  private static func version(in query: ArraySlice<UInt8>?) throws(ResourceError) -> VersionTag? {
    try QueryParameters(query)["v"].map { VersionTag(text: $0) }
  }

  private static func versionOfIndex(in query: ArraySlice<UInt8>?) throws(ResourceError) -> VersionTag? {
    guard try QueryParameters(query)["track"] == nil else {
      throw .badQuery("The index is that of the track which films show: remove track.")
    }
    return try version(in: query)
  }

  private static func track(in query: ArraySlice<UInt8>?) throws(ResourceError) -> Int? {
    let parameters: QueryParameters
    do throws(ResourceError) { parameters = try QueryParameters(query) } catch {
      // A playlist ignores what it does not know, but never a track.
      guard let query, String(decoding: query, as: UTF8.self).contains("track") else { return nil }
      throw error
    }
    guard let text = try parameters.single("track") else { return nil }
    guard try parameters.single("id") == nil else {
      throw .badQuery("The parameter track is for complete recordings: remove id.")
    }
    return try ViewParameters.track(text)
  }

  private static func id(in query: ArraySlice<UInt8>?) throws(ResourceError) -> ItemTag? {
    guard let text = try QueryParameters(query).single("id") else { return nil }
    guard let id = ItemTag(text) else {
      throw .badQuery("The parameter id must be the 16 hexadecimal digits with which the list names the playlist.")
    }
    return id
  }

  /// - Throws: `ResourceError.badQuery`.
  private init(movieWith parameters: QueryParameters) throws(ResourceError) {
    guard var values = try ViewParameters(parameters, beside: "v") else {
      // Unknown parameters are ignored, and so is an empty version.
      self = .movie(version: parameters["v"].map { VersionTag(text: $0) })
      return
    }
    let version = values.take("v").map { VersionTag(text: $0) }
    let track = try values.takeTrack()
    guard values.take("from") == nil, values.take("to") == nil else {
      throw .badQuery("The parameters from and to are for cameras: a recording accepts start and end, in seconds.")
    }
    if let seconds = try values.takeSeconds("keyframe") {
      self = .keyFrame(at: seconds, track: track, version: version)
      try values.refuseOthers("The parameter keyframe cannot be combined with another view")
    } else if let distance = try values.takeSeconds("keys") {
      self = .keyFrames(
        every: distance, speed: try Self.speed(values.take("speed")), track: track, version: version)
      try values.refuseOthers("The parameter keys can be combined with speed, but not with another view")
    } else {
      guard values.take("speed") == nil else {
        throw .badQuery("The parameter speed requires keys: add keys, which is 0 for all key frames.")
      }
      let (start, end) = (try values.takeSeconds("start"), try values.takeSeconds("end"))
      guard start != nil || end != nil else {
        throw .badQuery("The parameter track selects the pictures of a view: add start, end, keyframe or keys.")
      }
      if let end, end <= start ?? .zero {
        throw .badQuery("The parameter start must be before end, and end must be above 0.")
      }
      self = .clip(start: start, end: end, track: track, version: version)
    }
  }

  private static func speed(_ text: String?) throws(ResourceError) -> Int {
    guard let text else { return 1 }
    let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isDigits, let speed = Int(text), speeds.contains(speed) else {
      throw .badQuery(
        "The parameter speed must be a whole number from \(speeds.lowerBound) to \(speeds.upperBound).")
    }
    return speed
  }

  /// Returns the part of the target after the name.
  ///
  /// - Parameter name: the name of the recording. If it ends with `.media` or `.iframes`, `NAME.m3u8` would name a
  ///   playlist of another recording. The multivariant playlist then has the same target as the media playlist.
  func suffix(of name: String) -> String {
    var query = QueryWriter()
    let ending: Ending
    switch self {
    case .details: ending = .details
    case .raw: ending = .raw
    case .protection: ending = .protection
    case .playlist:
      let isAmbiguous = Ending.allCases.contains { $0 != .playlist && "\(name).m3u8".hasSuffix($0.rawValue) }
      ending = isAmbiguous ? .mediaPlaylist : .playlist
    case .mediaPlaylist(let id, _):
      ending = .mediaPlaylist
      query.add("id", id?.text)
    case .keyFramePlaylist(let id, _):
      ending = .keyFramePlaylist
      query.add("id", id?.text)
    case .index: ending = .index
    case .manifest: ending = .manifest
    case .movie: ending = .movie
    case .keyFrame(let seconds, _, _):
      ending = .movie
      query.add("keyframe", seconds.description)
    case .clip(let start, let end, _, _):
      ending = .movie
      query.add("start", start?.description)
      query.add("end", end?.description)
    case .keyFrames(let distance, let speed, _, _):
      ending = .movie
      query.add("keys", distance.description)
      if speed != 1 { query.add("speed", String(speed)) }
    }
    query.add("track", track.map { String($0) })
    query.add("v", version?.text)
    return ending.rawValue + query.text
  }
}
