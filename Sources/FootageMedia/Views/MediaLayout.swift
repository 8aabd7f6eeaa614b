internal import FootageBase

/// The positions of samples in an `mdat`. Its payload consists of pieces of the recorder's file, in the order of the
/// file. Bytes between samples are included if they are few and are part of the served bytes.
struct MediaLayout {
  /// The pieces of the recorder's file, in order. None is empty, and no two touch.
  private(set) var pieces: [Range<UInt64>] = []
  /// The offset of each piece in the `mdat`'s payload, in bytes.
  private var starts: [UInt64] = []
  /// The length of the payload in bytes.
  private(set) var length: UInt64 = 0

  /// The largest gap between samples that is sent rather than left out, in bytes. Each piece needs a read of its own,
  /// so a few extra bytes cost less.
  private static let bridge: UInt64 = 4_096

  /// - Parameters:
  ///   - samples: the samples of each track. Those without bytes take no space.
  ///   - places: the places of the file's bytes in the served bytes. Bytes of the file that are not served are not
  ///     sent.
  init(_ samples: [[IndexedSample]], in places: ServedPlaces) {
    var runs: [Range<UInt64>] = []
    for track in samples {
      for sample in track where sample.size > 0 {
        if let last = runs.last, last.upperBound == sample.offset {
          runs[runs.count - 1] = last.lowerBound..<sample.bytes.upperBound
        } else {
          runs.append(sample.bytes)
        }
      }
    }
    runs.sort { $0.lowerBound < $1.lowerBound }
    for run in runs {
      if let last = pieces.last, run.lowerBound <= last.upperBound + Self.bridge,
        run.lowerBound <= last.upperBound || places.areTogether((last.upperBound - 1)..<(run.lowerBound + 1))
      {
        pieces[pieces.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
      } else {
        pieces.append(run)
      }
    }
    starts.reserveCapacity(pieces.count)
    for piece in pieces {
      starts.append(length)
      length += piece.upperBound - piece.lowerBound
    }
  }

  /// Returns the offset in the payload of a byte in the recorder's file.
  ///
  /// - Parameter offset: an offset within one of the pieces. For any other offset, as of a sample without bytes, the
  ///   result is 0.
  func place(of offset: UInt64) -> UInt64 {
    var low = 0
    var high = pieces.count
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].upperBound <= offset { low = middle + 1 } else { high = middle }
    }
    guard low < pieces.count, pieces[low].contains(offset) else { return 0 }
    return starts[low] + (offset - pieces[low].lowerBound)
  }
}
