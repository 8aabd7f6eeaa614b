internal import FootageBase

extension Movie {
  /// Returns a `moov` like this one, at the same offset in the file.
  ///
  /// - Parameters:
  ///   - scale: the number by which the movie's timescale is multiplied. If it is not 1, `write` writes every track.
  ///   - wait: the time at the beginning that is left out of all tracks, in ticks of the new movie.
  ///   - write: writes the track with an index, or returns false to keep it as it is.
  func rewritten(
    scale: UInt32 = 1, wait: UInt64 = 0, _ write: (inout MovieWriter, Int) throws(MP4Error) -> Bool
  ) throws(MP4Error) -> BoxBuffer {
    let duration = max(wait, (tracks.map { presentationTicks(of: $0) }.max() ?? 0).scaled(by: scale)) - wait
    var writer = MovieWriter(self, after: [], capacity: buffer.bytes.count)
    try writer.box("moov") { (writer) throws(MP4Error) in
      for child in children {
        if child.type == "mvhd" {
          try writer.header(child, timescale: header.timescale * scale, duration: duration, in: "moov")
        } else if let index = tracks.firstIndex(where: { $0.boxes.track == child }) {
          if try !write(&writer, index) { writer.copy(child) }
        } else {
          writer.copy(child)
        }
      }
    }
    let (start, size) = (buffer.fileOffset, UInt64(writer.bytes.count))
    return BoxBuffer(
      writer.bytes, of: TopLevelBox(type: "moov", offset: start, headerSize: 8, end: start + size, reachesEnd: false))
  }

  /// Returns the duration of a track's presentation, in the movie's ticks.
  func presentationTicks(of track: Track) -> UInt64 {
    guard let edit = track.edits.mediaEdits.first else { return shownTicks(of: track, nil) }
    guard track.edits.mediaEdits.count == 1 else {
      return track.edits.edits.reduce(UInt64(0)) { min($0 + $1.duration, UInt64(Limits.ticks)) }
    }
    return track.edits.leadingEmptyDuration + shownTicks(of: track, edit)
  }

  /// Returns the duration of an edit, in the movie's ticks: until the end of the track's last sample at the latest.
  func shownTicks(of track: Track, _ edit: EditList.Edit?) -> UInt64 {
    let end = max(0, track.samples.compositionEnd(in: buffer) - (edit?.mediaTime ?? 0))
    let rest = UInt64(end).rescaled(from: track.timescale, to: header.timescale, rounding: .up)
    guard let edit, edit.duration > 0 else { return rest }
    return min(edit.duration, rest)
  }
}
