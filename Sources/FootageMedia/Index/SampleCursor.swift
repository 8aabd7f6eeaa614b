internal import FootageBase

/// A cursor that walks once over the samples of a track's tables, in decoding order.
struct SampleCursor {
  private let table: SampleTable
  private var places: PlaceCursor
  private var durations: RunCursor
  private var offsets: RunCursor
  private var sync: SyncCursor
  private var decodingTime: Int64 = 0
  /// The number of the next sample, from 0.
  private var index = 0

  /// The number of samples to walk over.
  private let count: Int

  /// - Parameters:
  ///   - map: the mapping from the tables' offsets to offsets in the recorder's file.
  ///   - count: the number of samples to walk over, or nil for all.
  init(_ track: Track, in buffer: BoxBuffer, map: FilePlaces, count: Int? = nil) {
    table = track.samples
    self.count = min(count ?? .max, table.count)
    places = PlaceCursor(table, map)
    durations = RunCursor(table.timeToSample)
    offsets = RunCursor(table.compositionOffsets ?? EntryTable())
    sync = SyncCursor(table, in: buffer)
  }

  var isAtEnd: Bool { index >= count }

  /// Appends the next samples to a queue.
  ///
  /// - Throws: `malformed` if a sample lies outside of the recorder's file.
  mutating func move(_ count: Int, to queue: inout SampleQueue, in buffer: BoxBuffer) throws(MP4Error) {
    let wanted = min(count, self.count - index)
    var fault: String?
    queue.append(atMost: wanted) { samples in
      let raw = buffer.bytes.borrowedSpan
      // There are millions of samples. Each table is read for all samples in turn, and in a local copy instead of
      // through a pointer. A loop's state then stays in registers.
      var places = self.places
      fault = places.move(wanted, to: &samples, raw)
      self.places = places
      guard fault == nil else { return }
      var moved = samples.mutableSpan
      setTimes(&moved, raw)
      fault = setOffsets(&moved, raw)
      sync.mark(&moved, from: index, raw)
    }
    if let fault { throw Self.fault(fault) }
    index += wanted
  }

  private mutating func setTimes(_ samples: inout MutableSpan<IndexedSample>, _ raw: Span<UInt8>) {
    var next = 0
    var time = decodingTime
    while next < samples.count {
      // Samples that no entry counts have no duration.
      let run = durations.run(in: raw) ?? (samples.count - next, 0)
      let end = next + min(run.count, samples.count - next)
      durations.advance(by: end - next)
      while next < end {
        samples[next].decodingTime = time
        samples[next].duration = run.value
        time += Int64(run.value)
        next += 1
      }
    }
    decodingTime = time
  }

  /// - Returns: the fault, or nil.
  private mutating func setOffsets(_ samples: inout MutableSpan<IndexedSample>, _ raw: Span<UInt8>) -> String? {
    var next = 0
    while next < samples.count, let run = offsets.run(in: raw) {
      let offset = Int32(bitPattern: run.value)
      guard offset != .min else { return "has a sample without a valid presentation time" }
      let end = next + min(run.count, samples.count - next)
      offsets.advance(by: end - next)
      while next < end {
        samples[next].compositionOffset = offset
        next += 1
      }
    }
    return nil
  }

  static func fault(_ words: String) -> MP4Error { .malformed(BoxPlace("moov/trak/mdia/minf/stbl", at: 0), words) }
}

/// A cursor over the places of a track's samples, chunk by chunk.
private struct PlaceCursor {
  private let table: SampleTable
  private let map: FilePlaces
  /// The number of the next sample, from 0.
  private var index = 0
  // The chunk that contains it, and the entry of `stsc` after the chunk's own.
  private var entry = 0
  private var chunk = 0
  private var chunkEnd = 0
  private var samplesPerChunk = 0
  private var description: UInt16 = 0
  private var leftInChunk = 0
  private var position: UInt64 = 0
  /// The end in the recorder's file of the range that contains the chunk.
  private var limit: UInt64 = 0
  /// The range that contained the previous chunk.
  private var place = FilePlaces.Place()

  init(_ table: SampleTable, _ map: FilePlaces) {
    self.table = table
    self.map = map
  }

  /// Appends the next samples with their places, sizes and descriptions, but without their times.
  ///
  /// - Parameter count: at most the number of remaining samples.
  /// - Returns: the fault, or nil.
  @inline(__always)
  mutating func move(_ count: Int, to samples: inout OutputSpan<IndexedSample>, _ raw: Span<UInt8>) -> String? {
    let end = index + count
    while index < end {
      if leftInChunk == 0 {
        while chunk >= chunkEnd || samplesPerChunk == 0 {
          guard entry < table.sampleToChunk.count else { return "has more samples than its chunks have room for" }
          enterNextRun(raw)
        }
        enterNextChunk(raw)
      }
      let size = table.size(ofSample: index, in: raw)
      guard position + UInt64(size) <= limit || size == 0 else { return "has a sample outside the file" }
      samples.append(
        IndexedSample(
          offset: position, decodingTime: 0, compositionOffset: 0, duration: 0, size: size, description: description,
          isSync: false))
      position += UInt64(size)
      leftInChunk -= 1
      index += 1
    }
    return nil
  }

  /// Goes to the next entry of `stsc`, which must exist.
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

  /// Goes to the next chunk of the entry, which must exist and have samples.
  @inline(__always)
  private mutating func enterNextChunk(_ raw: Span<UInt8>) {
    leftInChunk = min(samplesPerChunk, table.count - index)
    let offset = table.offset(ofChunk: chunk, in: raw)
    if !place.served.contains(offset) { place = map.place(of: offset) }
    // If the chunk is not in the recorder's file, both are 0. Any sample with bytes is then outside of the file.
    (position, limit) = (place.fileOffset(of: offset), place.fileEnd)
    chunk += 1
  }
}

/// A mapping from offsets in the served bytes to offsets in the recorder's file.
struct FilePlaces: Sendable {
  /// A range of the file and its position in the served bytes.
  struct Place: Sendable {
    let served: Range<UInt64>
    let file: UInt64

    init(served: Range<UInt64> = 0..<0, file: UInt64 = 0) {
      self.served = served
      self.file = file
    }

    /// Returns the offset in the file for an offset in the served bytes; 0 if that is not in the range.
    @inline(__always)
    func fileOffset(of place: UInt64) -> UInt64 {
      served.contains(place) ? file + (place - served.lowerBound) : 0
    }

    var fileEnd: UInt64 { file + (served.upperBound - served.lowerBound) }
  }

  private let places: [Place]
  /// The length of the recorder's file in bytes, up to the end of its last served range.
  let fileLength: UInt64

  /// - Parameter composition: all bytes that are served. Source 0 is the recorder's file.
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

  /// - Returns: the range that contains a served byte, or an empty one if the byte is not in the recorder's file.
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

/// A cursor that marks the sync samples, as listed in `stss`.
private struct SyncCursor {
  /// The numbers of sync samples, from 1, or nil if all samples are sync samples.
  private let table: EntryTable?
  /// The same numbers sorted, or nil if the table is in order already.
  private let sorted: [UInt32]?
  /// The index of the first number that has not been reached yet.
  private var place = 0

  init(_ samples: SampleTable, in buffer: BoxBuffer) {
    table = samples.syncSamples
    guard let table else {
      sorted = nil
      return
    }
    let raw = buffer.bytes.borrowedSpan
    var last: UInt32 = 0
    var rises = true
    for index in 0..<table.count where rises {
      let number = raw.uint32(at: table.position + 4 * index)
      rises = number > last
      last = number
    }
    sorted = rises ? nil : (0..<table.count).map { raw.uint32(at: table.position + 4 * $0) }.sorted()
  }

  /// - Parameter first: the number of the first of these samples, from 0. Each call must continue after the samples of
  ///   the previous one.
  mutating func mark(_ samples: inout MutableSpan<IndexedSample>, from first: Int, _ raw: Span<UInt8>) {
    guard let table else {
      for index in samples.indices { samples[index].isSync = true }
      return
    }
    while place < table.count {
      let index = Int(sorted?[place] ?? raw.uint32(at: table.position + 4 * place)) - 1 - first
      guard index < samples.count else { return }
      // A number of 0 does not name a sample.
      if index >= 0 { samples[index].isSync = true }
      place += 1
    }
  }
}
