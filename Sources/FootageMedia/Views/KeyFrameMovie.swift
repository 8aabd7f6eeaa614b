package import FootageBase

/// The key frames of a recording as a movie of their own: a time lapse that reads no other samples.
package enum KeyFrameMovie {
  /// The version of this view, which is part of entity tags. It changes whenever the bytes of the view change.
  package static let viewVersion: UInt8 = 2

  /// The largest number of key frames in one movie. Each is a piece of the recorder's file.
  package static let limit = 65_536

  /// - Parameters:
  ///   - distance: the shortest time between two key frames. With 0, all key frames that begin a block are selected.
  ///     They are at least half a second apart, except in a recording with a block for each key frame.
  ///   - speed: the factor by which playback is faster, at least 1.
  /// - Throws: `ViewError`: `.noVideo`, `.noKeyFrame`, or `.tooLong` if there are too many key frames.
  package static func make(
    every distance: DecimalSeconds, speed: Int, of index: SampleIndex, _ source: some ByteSource
  ) throws(ViewError) -> Composition {
    guard index.leading.handler == "vide" else { throw .noVideo }
    let keys = try keys(every: Int64(clamping: distance.ticks(of: index.leading.timing.timescale)), of: index, source)
    guard let first = keys.first else { throw .noKeyFrame }
    // A movie has only one description here, so key frames with different parameter sets are left out.
    let shown = keys.filter { $0.initialization == first.initialization }
    do throws(MP4Error) {
      let movie = try index.initializations[first.initialization].movie(ofAll: false)
      guard let track = movie.tracks.first else { throw .nothingToPlay(BoxPlace("moov", at: 0)) }
      var part = SampleMovie.Part(track)
      var composition = Composition()
      var offset: UInt64 = 0
      for (number, key) in shown.enumerated() {
        let end = number + 1 < shown.count ? shown[number + 1].time : index.end
        let size = key.keyFrame.upperBound - key.keyFrame.lowerBound
        let duration = max(1, (end - key.time) / Int64(max(1, speed)))
        part.append(at: offset, size: UInt32(size), compositionOffset: 0, duration: duration, isSync: true)
        offset += size
      }
      part.shownDuration = part.duration
      let head = try SampleMovie(
        movie: movie, isQuickTime: index.isQuickTime, timescale: track.timescale, parts: [part], mediaLength: offset
      ).head()
      composition.append(head)
      for key in shown { composition.append(key.keyFrame) }
      return composition
    } catch {
      throw .broken(error)
    }
  }

  private static func keys(
    every distance: Int64, of index: SampleIndex, _ source: some ByteSource
  ) throws(ViewError) -> [BlockRow] {
    var keys: [BlockRow] = []
    for start in stride(from: 0, to: index.blockCount, by: rowsAtOnce) {
      let rows = try mapError(
        ViewError.index, try index.blockRows(start..<min(start + rowsAtOnce, index.blockCount), source))
      for row in rows where row.isDecodable {
        if let last = keys.last, row.time - last.time < distance { continue }
        guard keys.count < limit else {
          throw .tooLong("It has more than \(limit) key frames: request fewer with a larger value of keys.")
        }
        keys.append(row)
      }
    }
    return keys
  }

  private static let rowsAtOnce = 4_096
}
