internal import FootageBase

/// A writer of the bytes before the media of a fragmented recording. With them, the served file is an ordinary MP4
/// without fragments.
///
/// Everything except times, edit lists and sample tables is copied from the recorder's `moov`.
struct FragmentedMovieWriter {
  private let movie: Movie
  private let tracks: [FragmentedTrack]
  private let timeline: FragmentTimeline
  /// The length of the body in bytes. No chunk lies beyond it.
  private let bodyLength: UInt64

  init(_ movie: Movie, tracks: [FragmentedTrack], timeline: FragmentTimeline, bodyLength: UInt64) {
    self.movie = movie
    self.tracks = tracks
    self.timeline = timeline
    self.bodyLength = bodyLength
  }

  /// Returns the file type box, the `moov`, and the header of the `mdat` around the body.
  func preamble(fileType: [UInt8]) throws(MP4Error) -> [UInt8] {
    var writer = try movieBox(after: fileType, is64Bit: false)
    let mediaHeader: UInt64 = 16
    if UInt64(writer.bytes.count) + mediaHeader + bodyLength > UInt64(UInt32.max) {
      writer = try movieBox(after: fileType, is64Bit: true)
    }
    writer.mediaHeader(mediaLength: bodyLength, is64Bit: true)
    writer.moveChunkOffsets(by: UInt64(writer.bytes.count))
    return writer.bytes
  }

  /// - Parameter is64Bit: true for chunk offsets of 64 bits.
  private func movieBox(after fileType: [UInt8], is64Bit: Bool) throws(MP4Error) -> MovieWriter {
    let duration = timeline.presentations.map(\.duration).max() ?? 0
    var writer = MovieWriter(movie, after: fileType)
    try writer.box("moov") { (writer) throws(MP4Error) in
      for child in movie.children {
        switch child.type {
        case "mvhd": try writer.header(child, timescale: timeline.movieTimescale, duration: duration, in: "moov")
        case "mvex": break
        case "trak":
          if let index = movie.tracks.firstIndex(where: { $0.boxes.track == child }) {
            try write(index, with: &writer, is64Bit: is64Bit)
          }
        default: writer.copy(child)
        }
      }
    }
    return writer
  }

  private func write(_ index: Int, with writer: inout MovieWriter, is64Bit: Bool) throws(MP4Error) {
    let track = movie.tracks[index]
    let presentation = timeline.presentations[index]
    try writer.track(
      track, movieDuration: presentation.duration, timescale: tracks[index].timescale,
      mediaDuration: UInt64(max(0, tracks[index].decodingDuration)),
      edits: { writer in
        guard presentation.needsEditList else { return }
        writer.editList(
          emptyDuration: presentation.emptyDuration, duration: presentation.mediaDuration,
          mediaTime: presentation.mediaTime)
      },
      sampleTable: { (writer) throws(MP4Error) in
        writer.copy(track.boxes.sampleDescriptions)
        writer.tables(tracks[index].samples, mediaLength: bodyLength, is64Bit: is64Bit)
      })
  }
}
