/// The reason a recording has no such view, and the remedy.
package enum ViewError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No video track has a sample.
  case noVideo
  /// The table of sync samples is empty, or names no sample with bytes.
  case noKeyFrame
  /// The pictures' sample entry lacks parameter sets, and this key frame has none either. Another key frame may have
  /// them.
  case noParameterSets(missing: String)
  /// The recording cannot be shown as a film. The reason was noted when it was indexed.
  case noFilm
  /// The film has fewer parts.
  case noSuchPart
  /// The view would exceed a limit. The text also says what to do.
  case tooLong(String)
  /// The recording has nothing in the requested time.
  case outside
  /// The parts have different formats, which one movie cannot hold.
  case formatsDiffer
  /// The index of the samples cannot be used.
  case index(SampleIndexError)
  /// The tables cannot be written again, or place the picture outside of the served bytes.
  case broken(MP4Error)

  package var description: String {
    switch self {
    case .noVideo: "this recording has no pictures: play it as it is, or ask for a recording that has a video track"
    case .noKeyFrame:
      "this recording marks no picture as one that a decoder can begin with: play it as it is, and have the recorder"
        + " write key frames"
    case .noParameterSets(let missing):
      "this picture has no \(missing), which only an earlier picture brings: play the recording as it is, and have the"
        + " recorder repeat its parameter sets before every key frame"
    case .noFilm: "this recording cannot be shown as a film: play it as it is; footage inspect says why"
    case .noSuchPart: "the film has no such part: ask for those that its playlist lists"
    case .tooLong(let reason): reason
    case .outside: "the recording ends before the time that is asked for: ask for an earlier one"
    case .formatsDiffer: "its parts are of different formats, which one movie cannot hold: ask for each by itself"
    case .index(let error): "no view can be made of this recording: \(error)"
    case .broken(let error): "no view can be made of this recording: \(error)"
    }
  }
}
