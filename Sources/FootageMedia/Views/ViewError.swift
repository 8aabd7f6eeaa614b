/// The reason why a recording has no such view, and the remedy.
package enum ViewError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No video track has a sample.
  case noVideo
  /// The table of sync samples is empty, or names no sample with bytes.
  case noKeyFrame
  /// The pictures' sample entry lacks parameter sets, and this key frame has none either. Another key frame may have
  /// them.
  case noParameterSets(missing: String)
  /// The recording cannot be shown as a film. The list shows the reason, which was determined when the recording was
  /// indexed.
  case noFilm
  /// The film has fewer parts than the requested number.
  case noSuchPart
  /// The view would exceed a limit. The text also says what to do.
  case tooLong(String)
  /// The recording has no footage in the requested time.
  case outside
  /// The parts have different formats, which one movie cannot hold.
  case formatsDiffer
  /// The index of the samples cannot be used.
  case index(SampleIndexError)
  /// The recording's `moov` cannot be converted into one for the view, or it places a picture outside of the served
  /// bytes.
  case broken(MP4Error)

  package var description: String {
    switch self {
    case .noVideo: "this recording has no pictures: play it as it is, or request one that has a video track"
    case .noKeyFrame:
      "this recording marks no picture as a key frame: play it as it is, and have the recorder write key frames"
    case .noParameterSets(let missing):
      "this picture has no \(missing), which only an earlier picture has: play the recording as it is, and have the"
        + " recorder repeat its parameter sets before every key frame"
    case .noFilm: "this recording cannot be shown as a film: play it as it is; footage inspect says why"
    case .noSuchPart: "the film has no such part: request one that its playlist lists"
    case .tooLong(let reason): reason
    case .outside: "the recording ends before the requested time: request an earlier one"
    case .formatsDiffer: "its parts have different formats, which one clip cannot hold: request each separately"
    case .index(let error): "cannot make this view of the recording: \(error)"
    case .broken(let error): "cannot make this view of the recording: \(error)"
    }
  }
}
