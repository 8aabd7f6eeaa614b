internal import FootageBase

/// The positions of samples in an `mdat`. Its payload consists of pieces of the recorder's file, in the order of the
/// file. Bytes between samples are included only where they are few. Silent frames follow the sound before them.
struct MediaLayout {
  /// The pieces of the recorder's file, in order. None is empty.
  private(set) var pieces: [Range<UInt64>] = []
  /// The offset of each piece in the payload, in bytes.
  private var starts: [UInt64] = []
  /// The silent frames, in the order of the payload.
  private var silences: [Silence] = []
  /// The length of the payload in bytes.
  private(set) var length: UInt64 = 0
  private let fileEnd: UInt64

  /// Silent frames in a row.
  private struct Silence {
    /// The end in the recorder's file of the sample before them, or 0.
    let after: UInt64
    /// Their offsets, which are behind the end of the file.
    var offsets: Range<UInt64>
    /// The number of pieces before them, and their offset in the payload.
    var pieceCount = 0
    var place: UInt64 = 0
  }

  /// The largest gap between samples that is sent rather than left out, in bytes, and the part of the samples' bytes
  /// that all such gaps together may have. Each piece needs a read of its own, so a few extra bytes cost less.
  private static let bridge: UInt64 = 4_096
  private static let bridgedPart: UInt64 = 32

  /// - Parameters:
  ///   - samples: the samples of each track. Those without bytes take no space.
  ///   - places: the places of the file's bytes in the served bytes. Bytes of the file that are not served are not
  ///     sent.
  ///   - fileEnd: the offset from which on samples are silent frames.
  init(_ samples: [[IndexedSample]], in places: ServedPlaces, fileEnd: UInt64 = .max) {
    self.fileEnd = fileEnd
    var runs: [Range<UInt64>] = []
    for track in samples {
      var end: UInt64 = 0
      for sample in track where sample.size > 0 {
        if sample.offset >= fileEnd {
          add(silent: sample.bytes, after: end)
          continue
        }
        end = sample.bytes.upperBound
        if let last = runs.last, last.upperBound == sample.offset {
          runs[runs.count - 1] = last.lowerBound..<sample.bytes.upperBound
        } else {
          runs.append(sample.bytes)
        }
      }
    }
    runs.sort { $0.lowerBound < $1.lowerBound }
    let longest = Self.longestBridge(runs)
    for run in runs {
      if let last = pieces.last, run.lowerBound <= last.upperBound + longest,
        run.lowerBound <= last.upperBound || places.areTogether((last.upperBound - 1)..<(run.lowerBound + 1))
      {
        pieces[pieces.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
      } else {
        pieces.append(run)
      }
    }
    place()
  }

  private mutating func add(silent bytes: Range<UInt64>, after end: UInt64) {
    if let last = silences.last, last.offsets.upperBound == bytes.lowerBound, last.after == end {
      silences[silences.count - 1].offsets = last.offsets.lowerBound..<bytes.upperBound
    } else {
      silences.append(Silence(after: end, offsets: bytes))
    }
  }

  /// Gives everything its place in the payload. A piece ends where silent frames follow.
  private mutating func place() {
    var whole = pieces[...]
    (pieces, starts) = ([], [])
    starts.reserveCapacity(whole.count)
    silences.sort { ($0.after, $0.offsets.lowerBound) < ($1.after, $1.offsets.lowerBound) }
    func append(_ piece: Range<UInt64>) {
      guard !piece.isEmpty else { return }
      pieces.append(piece)
      starts.append(length)
      length += piece.upperBound - piece.lowerBound
    }
    for index in silences.indices {
      let end = silences[index].after
      while let piece = whole.first, piece.lowerBound < end {
        append(piece.lowerBound..<min(piece.upperBound, end))
        whole = piece.upperBound <= end ? whole.dropFirst() : [end..<piece.upperBound] + whole.dropFirst()
      }
      (silences[index].pieceCount, silences[index].place) = (pieces.count, length)
      length += silences[index].offsets.upperBound - silences[index].offsets.lowerBound
    }
    for piece in whole { append(piece) }
  }

  /// Returns the payload after a head.
  ///
  /// - Parameter frame: the silent frame.
  func composition(_ head: [UInt8], frame: [UInt8]) -> Composition {
    var composition = Composition(head, then: [])
    var next = 0
    for silence in silences {
      for piece in pieces[next..<silence.pieceCount] { composition.append(piece) }
      next = silence.pieceCount
      let count = (silence.offsets.upperBound - silence.offsets.lowerBound) / UInt64(max(1, frame.count))
      composition.append(Array(repeatElement(frame, count: Int(count)).joined()))
    }
    for piece in pieces[next...] { composition.append(piece) }
    return composition
  }

  /// Returns the length of the longest gap between samples that is sent: the largest for which all gaps up to it fit
  /// into the part that they may have.
  ///
  /// - Parameter runs: the ranges of adjoining samples, in the order of the file.
  private static func longestBridge(_ runs: [Range<UInt64>]) -> UInt64 {
    var gaps: [UInt64: UInt64] = [:]
    var (bytes, end) = (UInt64(0), UInt64(0))
    for run in runs {
      if bytes > 0, run.lowerBound > end, run.lowerBound - end <= bridge { gaps[run.lowerBound - end, default: 0] += 1 }
      bytes += run.upperBound - run.lowerBound
      end = max(end, run.upperBound)
    }
    var left = bytes / bridgedPart
    var longest: UInt64 = 0
    for (gap, count) in gaps.sorted(by: { $0.key < $1.key }) {
      guard gap * count <= left else { break }
      left -= gap * count
      longest = gap
    }
    return longest
  }

  /// Returns the offset in the payload of a byte in the recorder's file.
  ///
  /// - Parameter offset: an offset within one of the pieces. For any other offset, as of a sample without bytes, the
  ///   result is 0.
  func place(of offset: UInt64) -> UInt64 {
    if offset >= fileEnd, let silence = silences.first(where: { $0.offsets.contains(offset) }) {
      return silence.place + (offset - silence.offsets.lowerBound)
    }
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
