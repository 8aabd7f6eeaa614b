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
  /// What the chunk before lay in.
  private var place = FilePlaces.Place()

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
    let wanted = min(count, table.count - index)
    var fault: String?
    queue.append(atMost: wanted) { samples in
      // In registers rather than behind a pointer: there are millions of samples.
      var cursor = self
      fault = cursor.move(wanted, to: &samples, buffer.bytes.span)
      self = cursor
    }
    if let fault { throw Self.fault(fault) }
  }

  /// - Returns: what is wrong.
  @inline(__always)
  private mutating func move(
    _ count: Int, to samples: inout OutputSpan<IndexedSample>, _ raw: Span<UInt8>
  ) -> String? {
    let end = index + count
    while index < end {
      while leftInChunk == 0 {
        while chunk >= chunkEnd || samplesPerChunk == 0 {
          guard entry < table.sampleToChunk.count else { return "has more samples than chunks have room for" }
          enterNextRun(raw)
        }
        enterNextChunk(raw)
      }
      let size = table.size(ofSample: index, in: raw)
      let duration = durations.next(in: raw) ?? 0
      let offset = Int32(bitPattern: offsets.next(in: raw) ?? 0)
      guard offset != .min, position + UInt64(size) <= limit || size == 0 else {
        return "has a sample that lies outside of the file, or is shown at no time"
      }
      samples.append(
        IndexedSample(
          offset: position, decodingTime: decodingTime, compositionOffset: offset, duration: duration, size: size,
          description: description, isSync: sync.contains(index, in: raw)))
      decodingTime += Int64(duration)
      position += UInt64(size)
      leftInChunk -= 1
      index += 1
    }
    return nil
  }

  /// The next entry of `stsc`, which is there.
  @inline(__always)
  private mutating func enterNextRun(_ raw: Span<UInt8>) {
    let place = table.sampleToChunk.position + 12 * entry
    let isLast = entry + 1 == table.sampleToChunk.count
    let count = table.chunkOffsets.entries.count
    chunk = Int(raw.uint32(at: place)) - 1
    chunkEnd = isLast ? count : min(count, Int(raw.uint32(at: place + 12)) - 1)
    samplesPerChunk = Int(raw.uint32(at: place + 4))
    description = UInt16(clamping: max(1, raw.uint32(at: place + 8)) - 1)
    entry += 1
  }

  /// The next chunk of the entry, which is there and has samples.
  @inline(__always)
  private mutating func enterNextChunk(_ raw: Span<UInt8>) {
    leftInChunk = min(samplesPerChunk, table.count - index)
    let offset = table.offset(ofChunk: chunk, in: raw)
    if !place.served.contains(offset) { place = map.place(of: offset) }
    // Where it lies in none of it, no sample with bytes does.
    (position, limit) = (place.fileOffset(of: offset), place.fileEnd)
    chunk += 1
  }

  static func fault(_ words: String) -> MP4Error { .malformed(BoxPlace("moov/trak/mdia/minf/stbl", at: 0), words) }
}

/// From places in what is served to places in the recorder's file.
struct FilePlaces: Sendable {
  /// A range of the file, as it is served.
  struct Place: Sendable {
    let served: Range<UInt64>
    let file: UInt64

    init(served: Range<UInt64> = 0..<0, file: UInt64 = 0) {
      self.served = served
      self.file = file
    }

    /// - Parameter place: in what is served; 0 where it lies in none of the range.
    @inline(__always)
    func fileOffset(of place: UInt64) -> UInt64 {
      served.contains(place) ? file + (place - served.lowerBound) : 0
    }

    var fileEnd: UInt64 { file + (served.upperBound - served.lowerBound) }
  }

  private let places: [Place]
  /// Of the recorder's file, as far as it is served, in bytes.
  let fileLength: UInt64

  /// - Parameter composition: all that is served; source 0 is the recorder's file.
  init(_ composition: Composition) {
    var places: [Place] = []
    for (index, slice) in composition.slices.enumerated() {
      guard case .range(0, let file) = slice else { continue }
      let start = composition.start(ofSlice: index)
      places.append(Place(served: start..<(start + slice.length), file: file.lowerBound))
    }
    self.places = places
    fileLength = composition.ranges().map(\.upperBound).max() ?? 0
  }

  /// - Returns: the one that a byte is served in; an empty one where it lies in none of the file.
  func place(of served: UInt64) -> Place {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].served.upperBound <= served { low = middle + 1 } else { high = middle }
    }
    guard low < places.count, places[low].served.contains(served) else { return Place() }
    return places[low]
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
