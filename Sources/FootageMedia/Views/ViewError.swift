/// Why a recording has no such view, and what to do.
package enum ViewError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Not a track of pictures with a sample in it.
  case noVideo
  /// The pictures' table of sync samples is empty, or names none that has bytes.
  case noKeyFrame
  /// The pictures' sample entry lacks parameter sets, and this key frame does not bring them: another one may.
  case noParameterSets(missing: String)
  /// It cannot be shown as a film, for the reason that was noted when it was indexed.
  case noFilm
  /// The film has not as many parts.
  case noSuchPart
  /// It would be longer than any is made, with what to do.
  case tooLong(String)
  /// It has nothing in the time that is asked for.
  case outside
  /// Its parts are of different formats, which one movie cannot hold.
  case formatsDiffer
  /// What is known of its samples cannot be used.
  case index(SampleIndexError)
  /// The tables cannot be written anew, or place the picture outside of what is served.
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
