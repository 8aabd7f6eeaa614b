internal import FootageBase

/// Walks over the samples of a track's tables, once, in decoding order.
struct SampleCursor {
  private let table: SampleTable
  private var places: PlaceCursor
  private var durations: RunCursor
  private var offsets: RunCursor
  private var sync: SyncCursor
  private var decodingTime: Int64 = 0
  /// Of the next one.
  private var index = 0

  /// - Parameter map: from what the table's offsets count in to the recorder's file.
  init(_ track: Track, in buffer: BoxBuffer, map: FilePlaces) {
    table = track.samples
    places = PlaceCursor(table, map)
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
      let raw = buffer.bytes.borrowedSpan
      // A table after the other rather than all for each sample, and in a copy rather than behind a pointer: so a loop's
      // state stays in registers, and there are millions of samples.
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

  /// - Returns: what is wrong.
  private mutating func setOffsets(_ samples: inout MutableSpan<IndexedSample>, _ raw: Span<UInt8>) -> String? {
    var next = 0
    while next < samples.count, let run = offsets.run(in: raw) {
      let offset = Int32(bitPattern: run.value)
      guard offset != .min else { return "has a sample that is shown at no time" }
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

/// Where a track's samples lie, chunk by chunk.
private struct PlaceCursor {
  private let table: SampleTable
  private let map: FilePlaces
  /// Of the next sample.
  private var index = 0
  // The chunk that it lies in.
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

  init(_ table: SampleTable, _ map: FilePlaces) {
    self.table = table
    self.map = map
  }

  /// Appends the next ones: where they lie, how long they are, what describes them; not when they are shown.
  ///
  /// - Parameter count: at most those that are left.
  /// - Returns: what is wrong.
  @inline(__always)
  mutating func move(_ count: Int, to samples: inout OutputSpan<IndexedSample>, _ raw: Span<UInt8>) -> String? {
    let end = index + count
    while index < end {
      if leftInChunk == 0 {
        while chunk >= chunkEnd || samplesPerChunk == 0 {
          guard entry < table.sampleToChunk.count else { return "has more samples than chunks have room for" }
          enterNextRun(raw)
        }
        enterNextChunk(raw)
      }
      let size = table.size(ofSample: index, in: raw)
      guard position + UInt64(size) <= limit || size == 0 else { return "has a sample that lies outside of the file" }
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

/// Which samples `stss` names.
private struct SyncCursor {
  /// Their numbers, from 1; nil where all are named.
  private let table: EntryTable?
  /// The same in order, of a table in which they are not.
  private let sorted: [UInt32]?
  /// Of the first that was not come to.
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

  /// - Parameter first: the number of the first of these samples, from 0: the one after those that were marked before.
  mutating func mark(_ samples: inout MutableSpan<IndexedSample>, from first: Int, _ raw: Span<UInt8>) {
    guard let table else {
      for index in samples.indices { samples[index].isSync = true }
      return
    }
    while place < table.count {
      let index = Int(sorted?[place] ?? raw.uint32(at: table.position + 4 * place)) - 1 - first
      guard index < samples.count else { return }
      // A number of 0 is nobody's.
      if index >= 0 { samples[index].isSync = true }
      place += 1
    }
  }
}
