/// A reason why a film of a recording (HLS) cannot be made, cannot be cut well, or has no sound.
package enum FilmHindrance: Hashable, Sendable, CustomStringConvertible {
  /// There is no film, for this reason.
  case refused(String)
  /// No browser plays the codec of the pictures.
  case codec(track: UInt32, UnplayableVideo)
  /// The film has no sound, for this reason.
  case noSound(String)
  case noKeyFrame(track: UInt32)
  /// There are pictures before the first key frame, which cannot be decoded.
  case lateKeyFrame(track: UInt32, framesBefore: Int)
  case openGroups(track: UInt32, count: Int, keyFrames: Int)
  /// The longest time between key frames is too long. `seconds` is that time.
  case longInterval(track: UInt32, seconds: Double)
  case sampleEntries(track: UInt32, count: Int)

  /// The code for programs, which never changes.
  package var code: String {
    switch self {
    case .refused: "no-film"
    case .codec: "codec"
    case .noSound: "no-sound"
    case .noKeyFrame: "no-key-frame"
    case .lateKeyFrame: "late-key-frame"
    case .openGroups: "open-groups"
    case .longInterval: "key-interval"
    case .sampleEntries: "sample-entries"
    }
  }

  package var description: String {
    switch self {
    case .refused(let reason), .noSound(let reason): reason
    case .codec(let track, let video):
      "no browser plays the pictures of track \(track) (\(video)). Have the recorder write H.264 (avc1). With OpenCV "
        + "that is VideoWriter_fourcc(*'avc1'). FFmpeg converts this file: ffmpeg -i FILE -c:v libx264 "
        + "-pix_fmt yuv420p NEW.mp4"
    case .noKeyFrame(let track):
      "track \(track) marks no picture as a key frame, so players do not know where to begin: have the recorder "
        + "mark key frames"
    case .lateKeyFrame(let track, let frames):
      "track \(track) has \(frames) \(frames == 1 ? "picture" : "pictures") before its first key frame that no decoder "
        + "can show"
    case .openGroups(let track, let count, let keyFrames):
      "\(count) of \(keyFrames) key frames of track \(track) begin open groups: pictures after them need pictures "
        + "before them, and players may stutter where a film is cut there. Have the encoder close its groups "
        + "(x264: open-gop=0)"
    case .longInterval(let track, let seconds):
      "key frames of track \(track) are up to \(Inspection.rounded(seconds)) s apart: films are cut at them and need "
        + "one at least every 10 s. Have the encoder write a key frame every 2 s (x264: keyint)"
    case .sampleEntries(let track, let count):
      "track \(track) has \(count) sample descriptions: some players cannot follow the change"
    }
  }

  /// Returns the hindrances for the served recording, the most important first.
  ///
  /// - Parameters:
  ///   - track: the number of the video track, from 1 on; nil for the one that films show.
  ///   - groups: returns the groups of a track's pictures.
  static func all(
    in movie: Movie, track: Int? = nil, _ groups: (UInt32) -> SampleStatistics.Groups?
  ) -> [FilmHindrance] {
    guard let tracks = FilmTracks(movie, track: track) else {
      return [.refused(track.map { "it has no video track \($0)" } ?? "it has neither pictures nor sound")]
    }
    var found: [FilmHindrance] = []
    if let refusal = tracks.refusal { found.append(.refused(refusal)) }
    let leading = tracks.leading
    if leading.handler == "vide", let video = leading.sampleEntries.first.flatMap({ UnplayableVideo($0) }) {
      found.append(.codec(track: leading.id, video))
    }
    if leading.handler == "vide", let groups = groups(leading.id) {
      if groups.count == 0 { found.append(.noKeyFrame(track: leading.id)) }
      if groups.count > 0, groups.framesBefore > 0 {
        found.append(.lateKeyFrame(track: leading.id, framesBefore: groups.framesBefore))
      }
      if groups.openCount > 0 {
        found.append(.openGroups(track: leading.id, count: groups.openCount, keyFrames: groups.count))
      }
      if groups.seconds.longest * 1_000 > Double(FilmRules.whole.patience) {
        found.append(.longInterval(track: leading.id, seconds: groups.seconds.longest))
      }
    }
    if leading.sampleEntries.count > 1 {
      found.append(.sampleEntries(track: leading.id, count: leading.sampleEntries.count))
    }
    return found + tracks.notes.map { .noSound($0) }
  }
}
