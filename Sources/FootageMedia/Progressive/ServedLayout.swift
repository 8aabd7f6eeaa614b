internal import FootageBase

/// The position of each top-level box of a file in the served bytes, which begin with `ftyp` and `moov`.
///
/// The order is: preamble (`ftyp`, `moov`), then the other boxes in file order, without those that would be wrong
/// there.
struct ServedLayout: Sendable {
  /// A box of the file that is served.
  struct Kept: Hashable, Sendable {
    let box: TopLevelBox
    /// The offset of the box's first byte from the end of the preamble.
    let bodyOffset: UInt64
  }

  /// The served boxes in file order.
  let kept: [Kept]
  /// The served ranges of the file. Adjoining ranges are merged.
  let body: [Range<UInt64>]
  /// The length of the body in bytes.
  let bodyLength: UInt64

  /// The types of indexes of byte positions (ISO/IEC 14496-12 §8.8.10, §8.16.3, §8.16.4). They would be wrong in the
  /// served bytes, where data has moved.
  static let dropped: Set<FourCharacterCode> = ["sidx", "ssix", "mfra"]

  init(_ boxes: [TopLevelBox]) {
    var kept: [Kept] = []
    var body = Composition()
    for box in boxes where box.type != "ftyp" && box.type != "moov" && !Self.dropped.contains(box.type) {
      kept.append(Kept(box: box, bodyOffset: body.length))
      body.append(box.offset..<box.end)
    }
    self.kept = kept
    self.body = body.ranges()
    bodyLength = body.length
  }

  /// Returns the kept box whose payload contains all of these bytes, or nil.
  ///
  /// - Parameter hint: an index into `kept` that is tried first. It becomes the index of the box that was found.
  func box(holding data: Range<UInt64>, hint: inout Int) -> Kept? {
    if hint < kept.count, kept[hint].holds(data) { return kept[hint] }
    var low = 0
    var high = kept.count
    while low < high {
      let middle = (low + high) / 2
      if kept[middle].box.end <= data.lowerBound { low = middle + 1 } else { high = middle }
    }
    guard low < kept.count, kept[low].holds(data) else { return nil }
    hint = low
    return kept[low]
  }
}

extension ServedLayout {
  /// Checks that every chunk with bytes lies in one served box.
  ///
  /// - Throws: `samplesBeyondEnd` if data would lie after the end of the file, which more bytes may fix, and otherwise
  ///   `samplesOutside`.
  func checkSamples(of track: Track, in buffer: BoxBuffer, fileLength: UInt64) throws(MP4Error) {
    var hint = 0
    func place() -> BoxPlace { buffer.place(of: track.samples.chunkOffsets.box, in: "moov/trak/mdia/minf/stbl") }
    try track.samples.forEachChunk(in: buffer) { (_, chunk) throws(MP4Error) in
      let count = track.samples.byteCount(of: chunk, in: buffer)
      guard count > 0 else { return }
      let (end, overflow) = chunk.offset.addingReportingOverflow(count)
      guard !overflow else { throw .malformed(place(), "has a chunk at byte \(chunk.offset), which is out of range") }
      guard end <= fileLength else { throw .samplesBeyondEnd(place(), dataEnd: end, length: fileLength) }
      guard box(holding: chunk.offset..<end, hint: &hint) != nil else {
        throw .samplesOutside(place(), data: chunk.offset..<end)
      }
    }
  }
}

extension Movie {
  /// Leaves out the tracks whose samples are not in a served box.
  ///
  /// - Throws: `samplesBeyondEnd`, which more bytes may fix.
  mutating func leaveOutTracksWithSamplesOutside(_ layout: ServedLayout, fileLength: UInt64) throws(MP4Error) {
    for track in tracks {
      do throws(MP4Error) {
        try layout.checkSamples(of: track, in: buffer, fileLength: fileLength)
      } catch {
        guard error.concernsOneTrack else { throw error }
        leaveOut(track, because: error)
      }
    }
  }
}

extension ServedLayout.Kept {
  func holds(_ data: Range<UInt64>) -> Bool {
    data.lowerBound >= box.payload.lowerBound && data.upperBound <= box.end
  }

  /// Returns the offset of a byte from the end of the preamble.
  ///
  /// - Parameter offset: the offset of the byte in the file, within this box.
  func bodyOffset(of offset: UInt64) -> UInt64 { bodyOffset + (offset - box.offset) }
}
