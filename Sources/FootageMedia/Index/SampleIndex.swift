package import FootageBase

/// Everything that views need of a recording: when its samples are shown, and where they lie in the recorder's file.
///
/// It stands in a file beside the preamble, and is read in a few places of it: a segment's row, the rows of its blocks,
/// and those blocks. Whoever reads one treats it as input. All integers are unsigned and have the most significant byte
/// first, unless another thing is said:
///
/// | bytes | what |
/// |---|---|
/// | 8 | `FtgIndex` |
/// | 4 | version: 3 |
/// | 4 | length of the header, these fields included |
/// | 8, 4 | where the segments' rows begin, and how many there are |
/// | 8, 4 | where the blocks' rows begin, and how many there are |
/// | 8, 8 | where the blocks begin, and their length |
/// | 8 | length of the recorder's file, as far as it is served |
/// | 8 | signed: when the film ends, in ticks of the leading track |
/// | 4 | flags: 1 where it can be shown as a film, 2 where the file is a QuickTime movie |
/// | 4 | seconds that a film's times are later than the presentation's |
/// | 4 | the movie's timescale |
/// | | the leading track and the sound beside it, as `IndexedTrack` says; the second may be missing (id 0) |
/// | 2 | how many init segments there are; then for each its length (4) and bytes, and the same with pictures alone |
/// | 4 | how many ranges of the recorder's file are served; then for each where it lies in what is served (8), where in the file (8), and its length (8) |
package struct SampleIndex: Sendable {
  /// Changes whenever the bytes of indexes change; entity tags do not go by it.
  package static let formatVersion: UInt8 = 3
  /// In bytes: as long as most headers are not.
  private static let firstRead: UInt64 = 4_096
  static let magic: [UInt8] = Array("FtgIndex".utf8)

  /// Of the pictures, or of the sound where there are none.
  package let leading: IndexedTrack
  /// Beside pictures.
  package let sound: IndexedTrack?
  package let segmentCount: Int
  package let blockCount: Int
  /// When the last sample ends, in ticks of the leading track from the beginning of the presentation on.
  package let end: Int64
  /// Seconds that a film's times are later than the presentation's; nil where it cannot be shown as a film.
  package let shift: UInt32?
  /// Of the recorder's file, as far as it is served, in bytes.
  package let fileLength: UInt64
  /// Whether the recorder's file calls itself a QuickTime movie, whose sound is described in another way.
  package let isQuickTime: Bool
  /// What a decoder has to know first: an MP4 without samples for each description that the leading track uses.
  package let initializations: [Initialization]
  /// Where the recorder's bytes lie in what is served.
  package let places: ServedPlaces
  private let segmentsOffset: UInt64
  private let blocksOffset: UInt64
  private let payloadOffset: UInt64
  private let payloadLength: UInt64
  /// All rows, where they were read with the rest: of a short recording. Else empty.
  private let rows: ArraySlice<UInt8>

  /// An init segment (ISO/IEC 14496-12 §8.8), and the same for pictures alone.
  package struct Initialization: Hashable, Sendable {
    package var bytes: [UInt8] { Array(all) }
    /// Without the sound.
    package var leadingAlone: [UInt8] { Array(alone) }

    /// Of the header that they were read in, of which most readers want neither.
    private let all: ArraySlice<UInt8>
    private let alone: ArraySlice<UInt8>

    package init(bytes: ArraySlice<UInt8>, leadingAlone: ArraySlice<UInt8>) {
      all = bytes
      alone = leadingAlone
    }
  }

  /// Reads what stands before the rows, most often in one read. May block.
  package init(_ source: some ByteSource) throws(SampleIndexError) {
    let start = try Self.bytes(source, 0..<min(Self.firstRead, max(16, source.length)))
    guard start.starts(with: Self.magic) else { throw .damaged("does not begin as one does") }
    let version = start.borrowedSpan.uint32(at: 8)
    guard version == UInt32(Self.formatVersion) else { throw .unsupported(version: version) }
    let length = UInt64(start.borrowedSpan.uint32(at: 12))
    guard length <= Limits.sampleIndexHeader else { throw .damaged("claims a header of \(length) bytes") }
    let all = length > UInt64(start.count) ? try Self.bytes(source, 0..<length) : start
    guard let header = Header(all, length: Int(length)) else { throw .damaged("has a header that is none") }
    let length64 = source.length
    func isInside(_ offset: UInt64, _ length: UInt64) -> Bool { offset <= length64 && length <= length64 - offset }
    guard isInside(header.segmentsOffset, UInt64(header.segmentCount * SegmentRow.size)),
      isInside(header.blocksOffset, UInt64(header.blockCount * BlockRow.size)),
      isInside(header.payloadOffset, header.payloadLength)
    else { throw .damaged("is cut short") }
    let isShort = header.segmentsOffset <= header.payloadOffset && header.payloadOffset <= start.count
    self.init(header, rows: isShort ? start[Int(header.segmentsOffset)..<Int(header.payloadOffset)] : [])
  }

  private init(_ header: Header, rows: ArraySlice<UInt8>) {
    self.rows = rows
    leading = header.leading
    sound = header.sound
    segmentCount = header.segmentCount
    blockCount = header.blockCount
    end = header.end
    shift = header.isFilm ? header.shift : nil
    fileLength = header.fileLength
    isQuickTime = header.isQuickTime
    initializations = header.initializations
    places = header.places
    segmentsOffset = header.segmentsOffset
    blocksOffset = header.blocksOffset
    payloadOffset = header.payloadOffset
    payloadLength = header.payloadLength
  }

  // MARK: Rows

  /// - Precondition: 0 ≤ lower bound ≤ upper bound.
  /// - Throws: `.damaged` where there are not as many.
  package func segmentRows(_ range: Range<Int>, _ source: some ByteSource) throws(SampleIndexError) -> [SegmentRow] {
    let bytes = try rows(range, of: segmentCount, size: SegmentRow.size, at: segmentsOffset, source)
    var rows: [SegmentRow] = []
    rows.reserveCapacity(range.count)
    for index in 0..<range.count {
      let row = SegmentRow(bytes.borrowedSpan, at: index * SegmentRow.size)
      guard row.firstBlock <= blockCount, row.initialization < initializations.count,
        (-Limits.ticks...Limits.ticks).contains(row.time), row.time >= rows.last?.time ?? .min
      else { throw .damaged("has a segment that is none") }
      rows.append(row)
    }
    return rows
  }

  /// - Precondition: 0 ≤ lower bound ≤ upper bound.
  /// - Throws: `.damaged` where there are not as many.
  package func blockRows(_ range: Range<Int>, _ source: some ByteSource) throws(SampleIndexError) -> [BlockRow] {
    let bytes = try rows(range, of: blockCount, size: BlockRow.size, at: blocksOffset, source)
    var rows: [BlockRow] = []
    rows.reserveCapacity(range.count)
    for index in 0..<range.count {
      guard let row = BlockRow(bytes.borrowedSpan, at: index * BlockRow.size, fileLength: fileLength),
        row.payloadOffset <= payloadLength, row.payloadOffset >= rows.last?.payloadOffset ?? 0,
        row.initialization < initializations.count, (-Limits.ticks...Limits.ticks).contains(row.time),
        row.time >= rows.last?.time ?? .min
      else { throw .damaged("has a block that is none") }
      rows.append(row)
    }
    return rows
  }

  private func rows<Source: ByteSource>(
    _ range: Range<Int>, of count: Int, size: Int, at offset: UInt64, _ source: Source
  ) throws(SampleIndexError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= count else { throw .damaged("has too few rows") }
    // Below 2^32 rows of 40 bytes each, within the source.
    let start = offset + UInt64(range.lowerBound * size)
    let end = start + UInt64(range.count * size)
    if start >= segmentsOffset, end - segmentsOffset <= UInt64(rows.count) {
      let first = rows.startIndex + Int(start - segmentsOffset)
      return Array(rows[first..<(first + range.count * size)])
    }
    return try Self.bytes(source, start..<end)
  }

  // MARK: Blocks

  /// The blocks of which these are the rows. One read.
  ///
  /// - Parameter range: of the blocks, not empty.
  package func blocks(_ range: Range<Int>, _ source: some ByteSource) throws(SampleIndexError) -> [SampleBlock] {
    // The row behind says where the last one ends.
    let rows = try blockRows(range.lowerBound..<min(range.upperBound + 1, blockCount), source)
    guard let first = rows.first, range.upperBound <= blockCount else { return [] }
    let end = rows.count > range.count ? rows[range.count].payloadOffset : payloadLength
    guard end >= first.payloadOffset, end - first.payloadOffset <= UInt64(Limits.sampleIndex) else {
      throw .damaged("has a block that is none")
    }
    let bytes = try Self.bytes(source, (payloadOffset + first.payloadOffset)..<(payloadOffset + end))
    var reader = VariableLengthReader(bytes)
    var blocks: [SampleBlock] = []
    blocks.reserveCapacity(range.count)
    for _ in range {
      guard let block = SampleBlock(&reader, fileLength: fileLength) else {
        throw .damaged("has a block that is none")
      }
      blocks.append(block)
    }
    guard reader.isAtEnd else { throw .damaged("has a block that is none") }
    return blocks
  }

  // MARK: By time

  /// The last block that begins at or before a time; the first where all begin later. O(log n) reads of a row.
  ///
  /// - Parameter time: in ticks of the leading track, from the beginning of the presentation on.
  package func block(at time: Int64, _ source: some ByteSource) throws(SampleIndexError) -> Int {
    var low = 0
    var high = blockCount
    while low < high {
      let middle = (low + high) / 2
      if try blockRows(middle..<(middle + 1), source)[0].time <= time { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// The same of segments.
  package func segment(at time: Int64, _ source: some ByteSource) throws(SampleIndexError) -> Int {
    var low = 0
    var high = segmentCount
    while low < high {
      let middle = (low + high) / 2
      if try segmentRows(middle..<(middle + 1), source)[0].time <= time { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  // MARK: Bytes

  private static func bytes<Source: ByteSource>(
    _ source: Source, _ range: Range<UInt64>
  ) throws(SampleIndexError) -> [UInt8] {
    guard range.upperBound <= source.length else { throw .damaged("is cut short") }
    do throws(Source.Failure) {
      return try source.bytes(at: range.lowerBound, count: Int(range.upperBound - range.lowerBound))
    } catch {
      throw .unreadable(ReadFailure(error))
    }
  }
}
