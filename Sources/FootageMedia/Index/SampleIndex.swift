package import FootageBase

/// The information about a recording that views need: the times of its samples, and their positions in the recorder's
/// file.
///
/// It is stored in a file beside the preamble. A reader needs only a few parts of it: a segment's row, the rows of its
/// blocks, and those blocks. Readers treat it as untrusted input. Integers are unsigned, with the most significant byte
/// first, unless stated otherwise:
///
/// | bytes | what |
/// |---|---|
/// | 8 | `FtgIndex` |
/// | 4 | version: 3 |
/// | 4 | length of the header, these fields included |
/// | 8, 4 | the offset and the number of the segments' rows |
/// | 8, 4 | the offset and the number of the blocks' rows |
/// | 8, 8 | the offset and the total length of the blocks |
/// | 8 | length of the recorder's file, up to the end of its last served range |
/// | 8 | signed: the end of the film, in ticks of the leading track |
/// | 4 | flags: 1 if it can be shown as a film, 2 if the file is a QuickTime movie |
/// | 4 | the number of seconds by which a film's times are later than the presentation's |
/// | 4 | the movie's timescale |
/// | | the leading track and the sound beside it, each as an `IndexedTrack`; the second may be missing (ID 0) |
/// | 2 | the number of init segments; then for each its length (4) and bytes, and the same with pictures alone |
/// | 4 | the number of served ranges; then for each its served offset (8), its offset in the file (8), its length (8) |
package struct SampleIndex: Sendable {
  /// The version of the format. It changes whenever the bytes of indexes change. Entity tags do not depend on it.
  package static let formatVersion: UInt8 = 3
  /// The size of the first read in bytes. Most headers are shorter.
  private static let firstRead: UInt64 = 4_096
  static let magic: [UInt8] = Array("FtgIndex".utf8)

  /// The track of the pictures, or of the sound if there are no pictures.
  package let leading: IndexedTrack
  /// The track of the sound beside pictures.
  package let sound: IndexedTrack?
  package let segmentCount: Int
  package let blockCount: Int
  /// The end of the last sample, in ticks of the leading track from the beginning of the presentation.
  package let end: Int64
  /// The number of seconds by which a film's times are later than the presentation's. It is nil if there can be no
  /// film.
  package let shift: UInt32?
  /// The length of the recorder's file in bytes, up to the end of its last served range.
  package let fileLength: UInt64
  /// True if the recorder's file is a QuickTime movie by its `ftyp`. Such a file describes sound in a different form.
  package let isQuickTime: Bool
  /// The init segments, which a decoder reads first: an MP4 without samples for each description that the leading track
  /// uses.
  package let initializations: [Initialization]
  /// The positions of the recorder's bytes in the served bytes.
  package let places: ServedPlaces
  private let segmentsOffset: UInt64
  private let blocksOffset: UInt64
  private let payloadOffset: UInt64
  private let payloadLength: UInt64
  /// All rows of a short recording, which were read together with the header. Otherwise empty.
  private let rows: ArraySlice<UInt8>

  /// An init segment (ISO/IEC 14496-12 §8.8), and the same one for pictures alone.
  package struct Initialization: Hashable, Sendable {
    package var bytes: [UInt8] { Array(all) }
    /// The init segment without the sound.
    package var leadingAlone: [UInt8] { Array(alone) }

    /// Both init segments, as slices of the header. They are copied only on access, because most readers need neither.
    private let all: ArraySlice<UInt8>
    private let alone: ArraySlice<UInt8>

    package init(bytes: ArraySlice<UInt8>, leadingAlone: ArraySlice<UInt8>) {
      all = bytes
      alone = leadingAlone
    }
  }

  /// Reads the part before the rows, usually in one read. May block.
  package init(_ source: some ByteSource) throws(SampleIndexError) {
    let start = try Self.bytes(source, 0..<min(Self.firstRead, max(16, source.length)))
    guard start.starts(with: Self.magic) else { throw .damaged("does not begin with the mark of a sample index") }
    let version = start.borrowedSpan.uint32(at: 8)
    guard version == UInt32(Self.formatVersion) else { throw .unsupported(version: version) }
    let length = UInt64(start.borrowedSpan.uint32(at: 12))
    guard length <= Limits.sampleIndexHeader else { throw .damaged("claims a header of \(length) bytes") }
    let all = length > UInt64(start.count) ? try Self.bytes(source, 0..<length) : start
    guard let header = Header(all, length: Int(length)) else { throw .damaged("has an invalid header") }
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

  /// Silence in the codec of the sound, or nil if none is known.
  var silence: SilentSound? { soundEntry?.silence }

  /// The description of the sound beside pictures, or nil if there is none.
  private var soundEntry: SampleEntry? {
    guard let sound, let movie = try? initializations.first?.movie(ofAll: true) else { return nil }
    return movie.tracks.first { $0.id == sound.id }?.sampleEntries.first
  }

  /// The sound of the recording, as far as a film of several recordings depends on it.
  package var soundKind: SoundKind {
    guard leading.handler == "vide" else { return .alone }
    guard let entry = soundEntry else { return .absent }
    return entry.silence == nil ? .other : entry.coding.map { .coded($0) } ?? .other
  }

  // MARK: Rows

  /// - Precondition: 0 ≤ lower bound ≤ upper bound.
  /// - Throws: `.damaged` if there are fewer rows.
  package func segmentRows(_ range: Range<Int>, _ source: some ByteSource) throws(SampleIndexError) -> [SegmentRow] {
    let bytes = try rows(range, of: segmentCount, size: SegmentRow.size, at: segmentsOffset, source)
    var rows: [SegmentRow] = []
    rows.reserveCapacity(range.count)
    for index in 0..<range.count {
      let row = SegmentRow(bytes.borrowedSpan, at: index * SegmentRow.size)
      guard row.firstBlock <= blockCount, row.initialization < initializations.count,
        (-Limits.ticks...Limits.ticks).contains(row.time), row.time >= rows.last?.time ?? .min
      else { throw .damaged("has an invalid segment") }
      rows.append(row)
    }
    return rows
  }

  /// - Precondition: 0 ≤ lower bound ≤ upper bound.
  /// - Throws: `.damaged` if there are fewer rows.
  package func blockRows(_ range: Range<Int>, _ source: some ByteSource) throws(SampleIndexError) -> [BlockRow] {
    let bytes = try rows(range, of: blockCount, size: BlockRow.size, at: blocksOffset, source)
    var rows: [BlockRow] = []
    rows.reserveCapacity(range.count)
    for index in 0..<range.count {
      guard let row = BlockRow(bytes.borrowedSpan, at: index * BlockRow.size, fileLength: fileLength),
        row.payloadOffset <= payloadLength, row.payloadOffset >= rows.last?.payloadOffset ?? 0,
        row.initialization < initializations.count, (-Limits.ticks...Limits.ticks).contains(row.time),
        row.time >= rows.last?.time ?? .min
      else { throw .damaged("has an invalid block") }
      rows.append(row)
    }
    return rows
  }

  private func rows<Source: ByteSource>(
    _ range: Range<Int>, of count: Int, size: Int, at offset: UInt64, _ source: Source
  ) throws(SampleIndexError) -> [UInt8] {
    guard range.lowerBound >= 0, range.upperBound <= count else { throw .damaged("has too few rows") }
    // There are fewer than 2^32 rows of 40 bytes, within the source.
    let start = offset + UInt64(range.lowerBound * size)
    let end = start + UInt64(range.count * size)
    if start >= segmentsOffset, end - segmentsOffset <= UInt64(rows.count) {
      let first = rows.startIndex + Int(start - segmentsOffset)
      return Array(rows[first..<(first + range.count * size)])
    }
    return try Self.bytes(source, start..<end)
  }

  // MARK: Blocks

  /// Returns blocks. Reads their rows, and then all blocks in one read.
  ///
  /// - Parameter range: the numbers of the blocks, not empty.
  package func blocks(_ range: Range<Int>, _ source: some ByteSource) throws(SampleIndexError) -> [SampleBlock] {
    // The row after the last block says where that block ends.
    let rows = try blockRows(range.lowerBound..<min(range.upperBound + 1, blockCount), source)
    guard let first = rows.first, range.upperBound <= blockCount else { return [] }
    let end = rows.count > range.count ? rows[range.count].payloadOffset : payloadLength
    guard end >= first.payloadOffset, end - first.payloadOffset <= UInt64(Limits.sampleIndex) else {
      throw .damaged("has an invalid block")
    }
    let bytes = try Self.bytes(source, (payloadOffset + first.payloadOffset)..<(payloadOffset + end))
    var reader = VariableLengthReader(bytes)
    var blocks: [SampleBlock] = []
    blocks.reserveCapacity(range.count)
    for _ in range {
      guard let block = SampleBlock(&reader, fileLength: fileLength) else {
        throw .damaged("has an invalid block")
      }
      blocks.append(block)
    }
    guard reader.isAtEnd else { throw .damaged("has an invalid block") }
    return blocks
  }

  // MARK: By time

  /// Returns the last block that begins at or before a time, or the first one if all begin later. It reads O(log n)
  /// rows.
  ///
  /// - Parameter time: the time in ticks of the leading track, from the beginning of the presentation.
  package func block(at time: Int64, _ source: some ByteSource) throws(SampleIndexError) -> Int {
    var low = 0
    var high = blockCount
    while low < high {
      let middle = (low + high) / 2
      if try blockRows(middle..<(middle + 1), source)[0].time <= time { low = middle + 1 } else { high = middle }
    }
    return max(0, low - 1)
  }

  /// Returns the last segment that begins at or before a time, or the first one if all begin later.
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
