internal import FootageBase

/// The index of a growing recording, built from its growth. Its bytes are read like those of any other index.
///
/// It is a value: additions to one copy do not affect readers of another, and copying it costs little.
package struct GrownIndex: ByteSource, Sendable {
  private var segments = PagedBytes()
  private var blocks = PagedBytes()
  private var payload = PagedBytes()
  /// The number of complete segments.
  package private(set) var wholeSegments = 0
  /// The number of complete blocks.
  package private(set) var wholeBlocks = 0
  private var layout: SampleIndex.Header?
  /// The provisional rows for the samples after the last complete segment.
  private var openSegments: [UInt8] = []
  private var openBlocks: [UInt8] = []
  private var openPayload: [UInt8] = []
  private var header: [UInt8] = []
  /// The offsets at which the seven parts of the index end.
  private var ends: [UInt64] = []
  package private(set) var isClosed = false

  package init() {}

  /// The length of the index in bytes.
  package var length: UInt64 { ends.last ?? 0 }

  /// Adds a growth.
  ///
  /// - Returns: false if the growth does not continue this index, which then stays unchanged.
  package mutating func add(_ growth: FilmGrowth) -> Bool {
    if growth.settled.before == IndexRows.Counts(), wholeSegments + wholeBlocks > 0 {
      // The growth repeats the film from its beginning.
      var other = GrownIndex()
      guard other.add(growth), other.continues(self) else { return false }
      self = other
      return true
    }
    guard growth.settled.before == settledCounts, growth.open.before == growth.settled.after,
      layout.map({ $0.goesOn(as: growth.header) }) ?? true
    else { return false }
    var rows = (segments: [UInt8](), blocks: [UInt8]())
    for row in growth.settled.segments { row.append(to: &rows.segments) }
    for row in growth.settled.blocks { row.append(to: &rows.blocks) }
    segments.append(rows.segments)
    blocks.append(rows.blocks)
    payload.append(growth.settled.payload)
    wholeSegments += growth.settled.segments.count
    wholeBlocks += growth.settled.blocks.count
    (openSegments, openBlocks, openPayload) = ([], [], growth.open.payload)
    for row in growth.open.segments { row.append(to: &openSegments) }
    for row in growth.open.blocks { row.append(to: &openBlocks) }
    isClosed = growth.isClosed
    layout = growth.header
    let after = growth.open.after
    var header = growth.header
    header.segmentCount = after.segments
    header.blockCount = after.blocks
    header.payloadLength = UInt64(after.payload)
    self.header = header.bytes()
    ends = []
    for count in [
      self.header.count, segments.count, openSegments.count, blocks.count, openBlocks.count, payload.count,
      openPayload.count,
    ] {
      ends.append(length + UInt64(count))
    }
    return true
  }

  private var settledCounts: IndexRows.Counts {
    IndexRows.Counts(segments: wholeSegments, blocks: wholeBlocks, payload: payload.count)
  }

  private func continues(_ other: GrownIndex) -> Bool {
    guard let layout, other.layout?.goesOn(as: layout) ?? true else { return false }
    return segments.starts(with: other.segments) && blocks.starts(with: other.blocks)
      && payload.starts(with: other.payload)
  }

  package enum Failure: Error, Hashable { case beyondEnd }

  package func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(Failure) {
    guard offset <= length, UInt64(buffer.count) <= length - offset else { throw .beyondEnd }
    var done = 0
    var part = 0
    while done < buffer.count {
      let position = offset + UInt64(done)
      while ends[part] <= position { part += 1 }
      let start = part == 0 ? 0 : ends[part - 1]
      let count = min(buffer.count - done, Int(ends[part] - position))
      let range = Int(position - start)..<(Int(position - start) + count)
      forEachPiece(of: part, in: range) { piece in
        // Safe because the total length of the pieces is that of the range, which ends within the buffer.
        unsafe piece.withUnsafeBytes {
          unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...]).copyMemory(from: $0)
        }
        done += piece.count
      }
    }
  }

  private func forEachPiece(of part: Int, in range: Range<Int>, _ body: (ArraySlice<UInt8>) -> Void) {
    switch part {
    case 0: body(header[range])
    case 1: segments.forEachPiece(in: range, body)
    case 2: body(openSegments[range])
    case 3: blocks.forEachPiece(in: range, body)
    case 4: body(openBlocks[range])
    case 5: payload.forEachPiece(in: range, body)
    default: body(openPayload[range])
    }
  }
}

extension SampleIndex.Header {
  /// Returns true if `other` may be a later header of the same film.
  fileprivate func goesOn(as other: SampleIndex.Header) -> Bool {
    leading == other.leading && sound == other.sound && shift == other.shift && isFilm == other.isFilm
      && isQuickTime == other.isQuickTime && other.initializations.starts(with: initializations)
      && fileLength <= other.fileLength
  }
}
