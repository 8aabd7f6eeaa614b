internal import Formats

/// Walks over the samples of a track's tables, once, in decoding order.
struct SampleCursor {
  private let table: SampleTable
  private let map: FilePlaces
  private var durations: RunCursor
  private var offsets: RunCursor
  private var sync: SyncCursor
  private var decodingTime: Int64 = 0
  /// Of the next one.
  private var index = 0
  // The chunk that the next one lies in.
  private var entry = 0
  private var chunk = 0
  private var chunkEnd = 0
  private var samplesPerChunk = 0
  private var description: UInt16 = 0
  private var leftInChunk = 0
  private var position: UInt64 = 0
  /// Where what the chunk lies in ends in the recorder's file.
  private var limit: UInt64 = 0

  /// - Parameter map: from what the table's offsets count in to the recorder's file.
  init(_ track: Track, in buffer: BoxBuffer, map: FilePlaces) {
    table = track.samples
    self.map = map
    durations = RunCursor(table.timeToSample)
    offsets = RunCursor(table.compositionOffsets ?? EntryTable())
    sync = SyncCursor(table, in: buffer)
  }

  var isAtEnd: Bool { index >= table.count }

  /// Puts the next samples at the end of a queue.
  ///
  /// - Throws: `malformed` where one lies outside of the recorder's file.
  mutating func move(_ count: Int, to queue: inout SampleQueue, in buffer: BoxBuffer) throws(MP4Error) {
    let raw = buffer.bytes.span
    let end = index + min(count, table.count - index)
    while index < end {
      if leftInChunk == 0 { try enterNextChunk(raw) }
      let run = min(end - index, leftInChunk)
      var place = position
      for sample in index..<(index + run) {
        let size = table.size(ofSample: sample, in: raw)
        let duration = durations.next(in: raw) ?? 0
        let offset = Int32(bitPattern: offsets.next(in: raw) ?? 0)
        guard offset != .min, place + UInt64(size) <= limit || size == 0 else {
          throw Self.fault("has a sample that lies outside of the file, or is shown at no time")
        }
        queue.append(
          IndexedSample(
            offset: place, decodingTime: decodingTime, compositionOffset: offset, duration: duration, size: size,
            description: description, isSync: sync.contains(sample, in: raw)))
        decodingTime += Int64(duration)
        place += UInt64(size)
      }
      position = place
      leftInChunk -= run
      index += run
    }
  }

  static func fault(_ words: String) -> MP4Error { .malformed(BoxPlace("moov/trak/mdia/minf/stbl", at: 0), words) }

  /// The next chunk with samples.
  private mutating func enterNextChunk(_ raw: Span<UInt8>) throws(MP4Error) {
    while chunk >= chunkEnd || samplesPerChunk == 0 {
      guard entry < table.sampleToChunk.count else { throw Self.fault("has more samples than chunks have room for") }
      let place = table.sampleToChunk.position + 12 * entry
      let isLast = entry + 1 == table.sampleToChunk.count
      let count = table.chunkOffsets.entries.count
      chunk = Int(raw.uint32(at: place)) - 1
      chunkEnd = isLast ? count : min(count, Int(raw.uint32(at: place + 12)) - 1)
      samplesPerChunk = Int(raw.uint32(at: place + 4))
      description = UInt16(clamping: max(1, raw.uint32(at: place + 8)) - 1)
      entry += 1
    }
    leftInChunk = min(samplesPerChunk, table.count - index)
    let place = map.place(of: table.offset(ofChunk: chunk, in: raw))
    position = place.lowerBound
    limit = place.upperBound
    chunk += 1
  }
}

/// From places in what is served to places in the recorder's file.
final class FilePlaces {
  private let ranges: [(served: Range<UInt64>, file: UInt64)]
  /// Of the recorder's file, as far as it is served, in bytes.
  let fileLength: UInt64
  /// Which was right last.
  private var hint = 0

  /// - Parameter composition: all that is served; source 0 is the recorder's file.
  init(_ composition: Composition) {
    var ranges: [(served: Range<UInt64>, file: UInt64)] = []
    for (index, slice) in composition.slices.enumerated() {
      guard case .range(0, let file) = slice else { continue }
      let start = composition.start(ofSlice: index)
      ranges.append((start..<(start + slice.length), file.lowerBound))
    }
    self.ranges = ranges
    fileLength = composition.ranges().map(\.upperBound).max() ?? 0
  }

  /// - Returns: where a byte lies in the recorder's file, up to the end of what is served with it; empty where it lies
  ///   in none of it.
  func place(of served: UInt64) -> Range<UInt64> {
    func place(in range: (served: Range<UInt64>, file: UInt64)) -> Range<UInt64>? {
      guard range.served.contains(served) else { return nil }
      let start = range.file + (served - range.served.lowerBound)
      return start..<(start + (range.served.upperBound - served))
    }
    if hint < ranges.count, let found = place(in: ranges[hint]) { return found }
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].served.upperBound <= served { low = middle + 1 } else { high = middle }
    }
    guard low < ranges.count, let found = place(in: ranges[low]) else { return 0..<0 }
    hint = low
    return found
  }
}

/// Which samples `stss` names, asked one after the other.
private struct SyncCursor {
  /// Their numbers, from 1; nil where all are named.
  private let table: EntryTable?
  /// The same in order, of a table in which they are not.
  private let sorted: [UInt32]?
  private var place = 0
  /// The one that comes, from 0; none where it is below what is asked for.
  private var next = -1

  init(_ samples: SampleTable, in buffer: BoxBuffer) {
    table = samples.syncSamples
    guard let table else {
      sorted = nil
      return
    }
    let raw = buffer.bytes.span
    var last: UInt32 = 0
    var rises = true
    for index in 0..<table.count where rises {
      let number = raw.uint32(at: table.position + 4 * index)
      rises = number > last
      last = number
    }
    sorted = rises ? nil : (0..<table.count).map { raw.uint32(at: table.position + 4 * $0) }.sorted()
  }

  /// - Parameter sample: from 0; greater than all that were asked for before.
  @inline(__always)
  mutating func contains(_ sample: Int, in raw: Span<UInt8>) -> Bool {
    guard let table else { return true }
    while next < sample, place < table.count {
      next = Int(sorted?[place] ?? raw.uint32(at: table.position + 4 * place)) - 1
      place += 1
    }
    return next == sample
  }
}
