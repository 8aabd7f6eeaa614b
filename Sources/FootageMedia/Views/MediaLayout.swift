internal import FootageBase

/// Where samples come to lie in an `mdat`: pieces of the recorder's file in its order, with what is between them where
/// that is little and served as well.
struct MediaLayout {
  /// Pieces of the recorder's file, in order; none is empty, and no two touch.
  private(set) var pieces: [Range<UInt64>] = []
  /// Where each begins in the `mdat`'s payload, in bytes.
  private var starts: [UInt64] = []
  /// In bytes.
  private(set) var length: UInt64 = 0

  /// Holes up to here are sent rather than left out, in bytes: each piece costs a read of its own.
  private static let bridge: UInt64 = 4_096

  /// - Parameters:
  ///   - samples: those of each track; empty ones take no room.
  ///   - places: where the file is served: what is not served of it is not sent either.
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

  /// Where a byte of the recorder's file lies in the payload.
  ///
  /// - Parameter offset: within one of the pieces; what is in none, of a sample without bytes, lies at the beginning.
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
