internal import FootageBase

/// A fragment of a growing recording, as an addition to its film.
package struct FilmFragment: Hashable, Sendable {
  /// The number of the fragment, from 1, among the recording's fragments with samples.
  package let number: Int
  /// The time at which its first picture is shown, in ticks of the leading track from the beginning of the
  /// presentation.
  package let time: Int64
  /// True if a decoder can begin with the fragment.
  package let beginsWithKeyFrame: Bool
  package let samples: SampleBlock
}

/// The growth of a growing recording's film since the last examination.
package struct FilmGrowth: Hashable, Sendable {
  /// The header of the index. Its counts of rows are not set.
  let header: SampleIndex.Header
  /// The added rows that will not change.
  let settled: IndexRows
  /// The provisional rows after the settled ones: the samples of the last segment, as if no more samples followed.
  let open: IndexRows
  /// True if the recording has ended, so that the last segment is complete as well.
  package let isClosed: Bool
  /// The fragments since the last examination, or only the most recent of them.
  package let fragments: [FilmFragment]
}

/// The growth as bytes. They consist of the header's length and the header; the three counts of existing rows; the
/// settled rows and the open rows, each after their numbers; the closed flag; and the fragments. All integers have 64
/// bits, with the most significant byte first.
extension FilmGrowth {
  package var encoded: [UInt8] {
    var bytes: [UInt8] = []
    let head = header.bytes()
    bytes.append(count: head.count)
    bytes.append(contentsOf: head)
    bytes.append(count: settled.before.segments)
    bytes.append(count: settled.before.blocks)
    bytes.append(count: settled.before.payload)
    for rows in [settled, open] {
      bytes.append(count: rows.segments.count)
      bytes.append(count: rows.blocks.count)
      bytes.append(count: rows.payload.count)
      for row in rows.segments { row.append(to: &bytes) }
      for row in rows.blocks { row.append(to: &bytes) }
      bytes.append(contentsOf: rows.payload)
    }
    bytes.append(count: isClosed ? 1 : 0)
    bytes.append(count: fragments.count)
    var room = ByteRoom()
    for fragment in fragments {
      var samples: [UInt8] = []
      SampleBlock.encode(
        leading: fragment.samples.leading[...], sound: fragment.samples.sound[...], into: &samples, by: &room)
      bytes.append(count: fragment.number)
      bytes.append(bigEndian: UInt64(bitPattern: fragment.time))
      bytes.append(count: fragment.beginsWithKeyFrame ? 1 : 0)
      bytes.append(count: samples.count)
      bytes.append(contentsOf: samples)
    }
    return bytes
  }

  /// - Returns: nil if the bytes do not encode a growth, or if they have impossible values.
  package init?(encoded bytes: [UInt8]) {
    var reader = GrowthReader(bytes)
    guard let head = reader.data(limit: Limits.sampleIndexHeader),
      let header = SampleIndex.Header(Array(head), length: head.count),
      let segments = reader.count(), let blocks = reader.count(), let payload = reader.count()
    else { return nil }
    let before = IndexRows.Counts(segments: segments, blocks: blocks, payload: payload)
    guard let settled = reader.rows(before: before, fileLength: header.fileLength),
      let open = reader.rows(before: settled.after, fileLength: header.fileLength),
      let isClosed = reader.flag(), let count = reader.count(), count <= bytes.count
    else { return nil }
    var fragments: [FilmFragment] = []
    for _ in 0..<count {
      guard let number = reader.count(), number > fragments.last?.number ?? 0, let time = reader.time(),
        let beginsWithKeyFrame = reader.flag(), let samples = reader.data(limit: UInt64(Limits.sampleIndex))
      else { return nil }
      var block = VariableLengthReader(Array(samples))
      guard let samples = SampleBlock(&block, fileLength: header.fileLength), block.isAtEnd else { return nil }
      fragments.append(
        FilmFragment(number: number, time: time, beginsWithKeyFrame: beginsWithKeyFrame, samples: samples))
    }
    guard reader.isAtEnd else { return nil }
    self.init(header: header, settled: settled, open: open, isClosed: isClosed, fragments: fragments)
  }
}

extension [UInt8] {
  fileprivate mutating func append(count: Int) { append(bigEndian: UInt64(clamping: count)) }
}

/// A reader of these bytes. It returns nil for invalid values and never reads beyond the end.
private struct GrowthReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func uint64() -> UInt64? {
    guard bytes.count - position >= 8 else { return nil }
    defer { position += 8 }
    return bytes.borrowedSpan.uint64(at: position)
  }

  /// Reads a count of at most 2^40, so that no sum of counts overflows.
  mutating func count() -> Int? { uint64().flatMap { $0 <= 1 << 40 ? Int($0) : nil } }

  mutating func flag() -> Bool? { uint64().flatMap { $0 <= 1 ? $0 == 1 : nil } }

  mutating func time() -> Int64? {
    uint64().map { Int64(bitPattern: $0) }.flatMap { (-Limits.ticks...Limits.ticks).contains($0) ? $0 : nil }
  }

  /// - Parameter size: the size of each element, in bytes.
  private mutating func take(_ count: Int, of size: Int = 1) -> ArraySlice<UInt8>? {
    let (length, overflow) = count.multipliedReportingOverflow(by: size)
    guard !overflow, length <= bytes.count - position else { return nil }
    defer { position += length }
    return bytes[position..<(position + length)]
  }

  mutating func data(limit: UInt64) -> ArraySlice<UInt8>? {
    guard let count = count(), UInt64(count) <= limit else { return nil }
    return take(count)
  }

  mutating func rows(before: IndexRows.Counts, fileLength: UInt64) -> IndexRows? {
    guard let segmentCount = count(), let blockCount = count(), let payloadCount = count(),
      let segments = take(segmentCount, of: SegmentRow.size).map({ Array($0) }),
      let blocks = take(blockCount, of: BlockRow.size).map({ Array($0) }), let payload = take(payloadCount)
    else { return nil }
    var rows = IndexRows(before: before)
    rows.payload = Array(payload)
    for index in 0..<segmentCount {
      rows.segments.append(SegmentRow(segments.borrowedSpan, at: index * SegmentRow.size))
    }
    for index in 0..<blockCount {
      guard let row = BlockRow(blocks.borrowedSpan, at: index * BlockRow.size, fileLength: fileLength) else {
        return nil
      }
      rows.blocks.append(row)
    }
    return rows
  }
}
