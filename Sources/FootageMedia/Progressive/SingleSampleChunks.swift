internal import FootageBase

/// A sound track's chunks, split into one a sample.
///
/// ISO/IEC 14496-12 §8.7.4 and §8.7.5. Where chunks of one and of two frames take turns, nearly each needs an entry of
/// 12 bytes in `stsc`; with one sample a chunk that table has one entry, and `stco` 4 bytes a sample. Ten hours of
/// ffmpeg's AAC take 9 MB less so.
struct SingleSampleChunks {
  /// `stsc` of the source.
  let sampleToChunk: Box
  /// Of all samples, from 1.
  let descriptionIndex: UInt32
  let samples: SampleTable

  /// Nil for what is not sound, has samples of different descriptions, or has tables besides that count chunks.
  init?(_ track: Track, in buffer: BoxBuffer) throws(MP4Error) {
    let children = track.boxes.sampleTableChildren
    guard track.handler == "soun", let sampleToChunk = children.first(where: { $0.type == "stsc" }),
      !children.contains(where: { $0.type == "saio" })
    else { return nil }
    var descriptions: Set<UInt32> = []
    try track.samples.forEachChunk(in: buffer) { (_, chunk) throws(MP4Error) in
      descriptions.insert(chunk.descriptionIndex)
    }
    guard descriptions.count == 1, let descriptionIndex = descriptions.first else { return nil }
    self.sampleToChunk = sampleToChunk
    self.descriptionIndex = descriptionIndex
    samples = track.samples
  }

  /// Of both boxes, in bytes.
  func size(is64Bit: Bool) -> Int { 16 + 12 + 16 + samples.count * (is64Bit ? 8 : 4) }

  /// The place of each sample in the file, and of all that its chunk holds.
  @inline(__always)
  func forEachOffset(
    in buffer: BoxBuffer, _ body: (_ offset: UInt64, _ chunk: Range<UInt64>) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let raw = buffer.bytes.borrowedSpan
    try samples.forEachChunk(in: buffer) { (_, chunk) throws(MP4Error) in
      // Checked: each chunk with bytes lies in the file.
      let whole = chunk.offset..<(chunk.offset &+ samples.byteCount(of: chunk, in: buffer))
      var offset = chunk.offset
      for index in chunk.firstSample..<(chunk.firstSample + chunk.sampleCount) {
        try body(offset, whole)
        offset += UInt64(samples.size(ofSample: index, in: raw))
      }
    }
  }
}
