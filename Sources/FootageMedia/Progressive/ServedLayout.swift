internal import FootageBase

/// Where each top-level box of a file comes to lie when `ftyp` and `moov` are served first.
///
/// The order is: preamble (`ftyp`, `moov`), then every other box in file order, without those that would be wrong.
struct ServedLayout: Sendable {
  /// A box that is served out of the file.
  struct Kept: Hashable, Sendable {
    let box: TopLevelBox
    /// Of its first byte, from the end of the preamble.
    let bodyOffset: UInt64
  }

  /// In file order.
  let kept: [Kept]
  /// Ranges of the file, those that adjoin made one.
  let body: [Range<UInt64>]
  /// In bytes.
  let bodyLength: UInt64

  /// Indexes of byte positions (ISO/IEC 14496-12 §8.8.10, §8.16.3, §8.16.4): wrong once anything moves.
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

  /// The kept box that holds all of these bytes in its payload, or nil.
  ///
  /// - Parameter hint: an index into `kept` to try first; becomes the one that was found.
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
  /// Every chunk with bytes has to lie in one box that is served.
  ///
  /// - Throws: `samplesBeyondEnd` where data would lie behind the file's end, which more bytes may mend, else
  ///   `samplesOutside`.
  func checkSamples(of track: Track, in buffer: BoxBuffer, fileLength: UInt64) throws(MP4Error) {
    var hint = 0
    func place() -> BoxPlace { buffer.place(of: track.samples.chunkOffsets.box, in: "moov/trak/mdia/minf/stbl") }
    try track.samples.forEachChunk(in: buffer) { (_, chunk) throws(MP4Error) in
      let count = track.samples.byteCount(of: chunk, in: buffer)
      guard count > 0 else { return }
      let (end, overflow) = chunk.offset.addingReportingOverflow(count)
      guard !overflow else { throw .malformed(place(), "has a chunk at byte \(chunk.offset), where no file can be") }
      guard end <= fileLength else { throw .samplesBeyondEnd(place(), dataEnd: end, length: fileLength) }
      guard box(holding: chunk.offset..<end, hint: &hint) != nil else {
        throw .samplesOutside(place(), data: chunk.offset..<end)
      }
    }
  }
}

extension Movie {
  /// Gives up the tracks whose samples lie in no box that is served.
  ///
  /// - Throws: `samplesBeyondEnd`, which more bytes may mend.
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

  /// From the end of the preamble.
  ///
  /// - Parameter offset: in the file, within this box.
  func bodyOffset(of offset: UInt64) -> UInt64 { bodyOffset + (offset - box.offset) }
}
