internal import FootageBase

/// The properties of a track in an index, without its samples.
///
/// | bytes | what |
/// |---|---|
/// | 4 | ID |
/// | 4 | handler |
/// | 4 | timescale |
/// | 8 | signed: the media time that is shown at the beginning, minus the empty edits before it, in ticks |
/// | 4 | signed: the smallest composition offset, at most 0 |
/// | 4 | the number of edits; then for each its duration in the movie's ticks (8), and its media time (8, signed) |
package struct IndexedTrack: Hashable, Sendable {
  /// The track ID, which is not 0.
  package let id: UInt32
  /// The type of the track: `vide` or `soun`.
  package let handler: FourCharacterCode
  package let timing: TrackTiming
  /// The smallest composition offset of its samples, in ticks, or 0 if none is negative.
  package let leastOffset: Int32
  /// The edit list, which is needed if a single edit does not describe the presentation.
  let edits: EditList
  let movieTimescale: UInt32

  init(
    id: UInt32, handler: FourCharacterCode, timing: TrackTiming, leastOffset: Int32, edits: EditList,
    movieTimescale: UInt32
  ) {
    self.id = id
    self.handler = handler
    self.timing = timing
    self.leastOffset = leastOffset
    self.edits = edits
    self.movieTimescale = movieTimescale
  }

  /// True if the edit list shows several separate parts of the track.
  var isCut: Bool { edits.mediaEdits.count > 1 }

  var presentation: PresentationTimes {
    PresentationTimes(edits, movieTimescale: movieTimescale, timescale: timing.timescale)
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(bigEndian: id)
    bytes.append(bigEndian: handler.rawValue)
    bytes.append(bigEndian: timing.timescale)
    bytes.append(bigEndian: UInt64(bitPattern: timing.origin))
    bytes.append(bigEndian: UInt32(bitPattern: leastOffset))
    bytes.append(bigEndian: UInt32(edits.edits.count))
    for edit in edits.edits {
      bytes.append(bigEndian: edit.duration)
      bytes.append(bigEndian: UInt64(bitPattern: edit.mediaTime))
    }
  }
}
