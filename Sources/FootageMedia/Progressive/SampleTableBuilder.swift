internal import FootageBase

/// A track's sample table that is built sample by sample (ISO/IEC 14496-12 §8.5 to §8.7).
struct SampleTableBuilder {
  /// Pairs of count and value, as in `stts` and `ctts`.
  struct Runs {
    /// All pairs but the last.
    private var bytes: [UInt8] = []
    private var count: UInt32 = 0
    private var value: UInt32 = 0

    /// - Parameter more: the number of times that the value follows. All of them together are below 2^32.
    mutating func append(_ next: UInt32, count more: UInt32 = 1) {
      if next == value, count > 0 {
        count += more
      } else {
        flush()
        value = next
        count = more
      }
    }

    private mutating func flush() {
      guard count > 0 else { return }
      bytes.append(bigEndian: count)
      bytes.append(bigEndian: value)
    }

    /// Calls `body` for each pair, in order.
    func forEach(_ body: (_ count: Int, _ value: UInt32) -> Void) {
      let raw = bytes.borrowedSpan
      for position in stride(from: 0, to: bytes.count, by: 8) {
        body(Int(raw.uint32(at: position)), raw.uint32(at: position + 4))
      }
      if count > 0 { body(Int(count), value) }
    }

    /// The size of the pairs in bytes.
    var size: Int { bytes.count + (count > 0 ? 8 : 0) }

    /// The pairs, 8 bytes each.
    var entries: [UInt8] {
      var all = self
      all.flush()
      return all.bytes
    }
  }

  private(set) var sampleCount = 0
  private(set) var durations = Runs()
  private var durationCount = 0
  /// The durations that exceed 32 bits, with the numbers of their samples from 0.
  private var longDurations: [(sample: Int, ticks: Int64)] = []
  private(set) var compositionOffsets = Runs()
  private(set) var hasCompositionOffsets = false
  private(set) var hasNegativeOffsets = false
  /// The size of each sample in bytes. It is valid while all samples have the same size.
  private(set) var commonSize: UInt32 = 0
  /// The sizes, 4 bytes for each sample. They are empty until two samples differ.
  private(set) var sizes: [UInt8] = []
  /// The numbers of sync samples from 1, 4 bytes each. They are empty until a sample is not a sync sample.
  private(set) var syncSamples: [UInt8] = []
  private(set) var hasOtherThanSync = false
  /// The offsets of chunks from the start of the media.
  private(set) var chunkOffsets: [UInt64] = []
  /// The entries of `stsc`, 12 bytes each.
  private(set) var sampleToChunk: [UInt8] = []
  private var lastSamplesPerChunk: UInt32 = 0
  private var lastDescriptionIndex: UInt32 = 0

  /// The size of all tables in bytes.
  var size: Int {
    durations.size + compositionOffsets.size + sizes.count + syncSamples.count + sampleToChunk.count
      + 8 * chunkOffsets.count
  }

  /// Begins a chunk for the next samples, whose bytes are consecutive.
  ///
  /// - Parameters:
  ///   - offset: the offset of the chunk from the start of the media.
  ///   - descriptionIndex: the entry in `stsd`, from 1.
  mutating func beginChunk(at offset: UInt64, sampleCount: UInt32, descriptionIndex: UInt32) {
    chunkOffsets.append(offset)
    guard sampleCount != lastSamplesPerChunk || descriptionIndex != lastDescriptionIndex else { return }
    lastSamplesPerChunk = sampleCount
    lastDescriptionIndex = descriptionIndex
    sampleToChunk.append(bigEndian: UInt32(chunkOffsets.count))
    sampleToChunk.append(bigEndian: sampleCount)
    sampleToChunk.append(bigEndian: descriptionIndex)
  }

  /// True if all samples have this size, so that another one takes no memory of its own.
  func hasOneSize(with size: UInt32) -> Bool { sizes.isEmpty && (sampleCount == 0 || size == commonSize) }

  /// Appends samples that are alike. Their durations follow with `append(duration:)` when they are known.
  ///
  /// - Parameter count: at least 1. All samples together are fewer than 2^32.
  @inline(__always)
  mutating func append(size: UInt32, compositionOffset: Int32, isSync: Bool, count: Int = 1) {
    compositionOffsets.append(UInt32(bitPattern: compositionOffset), count: UInt32(clamping: count))
    if compositionOffset != 0 { hasCompositionOffsets = true }
    if compositionOffset < 0 { hasNegativeOffsets = true }

    if sampleCount == 0 {
      commonSize = size
    } else if size != commonSize, sizes.isEmpty {
      sizes.reserveCapacity(4 * (sampleCount + 1))
      for _ in 0..<sampleCount { sizes.append(bigEndian: commonSize) }
    }
    if size != commonSize || !sizes.isEmpty { for _ in 0..<count { sizes.append(bigEndian: size) } }

    if !isSync, !hasOtherThanSync {
      hasOtherThanSync = true
      for number in 0..<sampleCount { syncSamples.append(bigEndian: UInt32(number + 1)) }
    }
    if isSync, hasOtherThanSync {
      for number in sampleCount..<(sampleCount + count) { syncSamples.append(bigEndian: UInt32(number + 1)) }
    }
    sampleCount += count
  }

  /// Appends the duration of the first samples that have none yet, in the track's ticks.
  ///
  /// - Parameters:
  ///   - duration: at least 0. If it exceeds `longest`, the table has to be rescaled before it is written.
  ///   - count: the number of samples that have it.
  @inline(__always)
  mutating func append(duration: Int64, count: Int = 1) {
    if duration > Self.longest { for sample in 0..<count { longDurations.append((durationCount + sample, duration)) } }
    durations.append(UInt32(clamping: duration), count: UInt32(clamping: count))
    durationCount += count
  }

  // MARK: Timescales

  /// The longest duration in ticks. Players read a longer one as negative.
  private static let longest = Int64(Int32.max)

  /// Returns the finest timescale that is not above the present one and in which no duration exceeds `longest`. It
  /// divides the present one, unless only a much coarser one would.
  func timescale(fitting timescale: UInt32) -> UInt32 {
    guard let longest = longDurations.lazy.map(\.ticks).max() else { return timescale }
    let least = UInt32(clamping: longest / Self.longest + 1)
    let divisor = (least...(least &* 2)).first { timescale.isMultiple(of: $0) } ?? least
    return max(1, timescale / divisor)
  }

  /// Has the last sample that is shown at a time or before it be shown at that time.
  ///
  /// - Parameter least: the earliest time of such a sample. One that is shown earlier stays where it is.
  mutating func beginSample(at time: Int64, notBefore least: Int64) {
    var leastOffset: Int64 = 0
    compositionOffsets.forEach { leastOffset = min(leastOffset, Int64(Int32(bitPattern: $1))) }
    var (times, offsets) = (RunList(durations), RunList(compositionOffsets))
    var decodingTime: Int64 = 0
    var cut = CutPicture(time)
    for sample in 0..<sampleCount {
      guard decodingTime + leastOffset <= time else { break }
      cut.look(at: sample, mediaTime: decodingTime + Int64(Int32(bitPattern: offsets.next())))
      decodingTime += Int64(times.next())
    }
    guard let sample = cut.sample, cut.mediaTime < time, cut.mediaTime >= least else { return }
    let old = compositionOffsets
    compositionOffsets = Runs()
    var done = 0
    old.forEach { (count, offset) in
      let parts = CutPicture.divide(done..<(done + count), offset, at: sample, by: time - cut.mediaTime)
      for part in parts { compositionOffsets.append(part.value, count: UInt32(clamping: part.count)) }
      done += count
    }
    hasCompositionOffsets = true
  }

  /// Changes all times to another timescale. Each time that is shown is rounded to the nearest tick.
  mutating func rescale(from timescale: UInt32, to newTimescale: UInt32) {
    guard timescale != newTimescale else { return }
    var (oldDurations, oldOffsets) = (RunList(durations), RunList(compositionOffsets))
    let long = Dictionary(longDurations.map { ($0.sample, $0.ticks) }) { $1 }
    (durations, compositionOffsets, longDurations) = (Runs(), Runs(), [])
    (durationCount, hasCompositionOffsets, hasNegativeOffsets) = (0, false, false)
    func scaled(_ ticks: Int64) -> Int64 { ticks.rescaled(from: timescale, to: newTimescale) }
    var time: Int64 = 0
    for sample in 0..<sampleCount {
      let duration = long[sample] ?? Int64(oldDurations.next())
      if long[sample] != nil { _ = oldDurations.next() }
      let offset = Int32(clamping: scaled(time + Int64(Int32(bitPattern: oldOffsets.next()))) - scaled(time))
      compositionOffsets.append(UInt32(bitPattern: offset))
      if offset != 0 { hasCompositionOffsets = true }
      if offset < 0 { hasNegativeOffsets = true }
      append(duration: scaled(time + duration) - scaled(time))
      time += duration
    }
  }

  /// A cursor over the values of runs.
  private struct RunList {
    private var runs: [(count: Int, value: UInt32)] = []
    private var index = 0

    init(_ runs: Runs) { runs.forEach { self.runs.append(($0, $1)) } }

    /// Returns the next value, or 0 after the last one.
    mutating func next() -> UInt32 {
      while index < runs.count, runs[index].count == 0 { index += 1 }
      guard index < runs.count else { return 0 }
      runs[index].count -= 1
      return runs[index].value
    }
  }
}
