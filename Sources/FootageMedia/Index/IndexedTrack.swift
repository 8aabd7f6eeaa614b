internal import FootageBase

/// What an index holds of a track besides its samples.
///
/// | bytes | what |
/// |---|---|
/// | 4 | ID |
/// | 4 | handler |
/// | 4 | timescale |
/// | 8 | signed: the media time that is shown at the beginning, less the empty edits before it, in ticks |
/// | 4 | signed: the least composition offset, 0 at most |
/// | 4 | how many edits there are; then for each its duration in the movie's ticks (8), and its media time (8, signed) |
package struct IndexedTrack: Hashable, Sendable {
  /// Not 0.
  package let id: UInt32
  /// `vide` or `soun`.
  package let handler: FourCharacterCode
  package let timing: TrackTiming
  /// The least composition offset of its samples, in ticks, and 0 where none is below.
  package let leastOffset: Int32
  /// What is shown when, where one edit does not say it all.
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

  /// Whether more than one stretch of it is shown.
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
