internal import FootageBase

/// An index between samples and the times at which they are shown, by `stts` and `ctts` (ISO/IEC 14496-12 §8.6.1).
///
/// A media time is a time of the track before its edit list: decoding time plus composition offset, in ticks. Within a
/// run of equal offsets, times never decrease. They may decrease only between two runs. The runs are searched in blocks
/// of 64, for each of which the earliest and the latest time are known.
struct SampleTimes: Sendable {
  private struct Block {
    /// The first sample of the block.
    let start: Int
    let earliest: Int64
    let latest: Int64
    /// The latest time in all blocks up to and including this one.
    let latestUntil: Int64
    /// The earliest time in all blocks from this one on.
    var earliestFrom: Int64
  }

  private let count: Int
  private let decoding: RunIndex
  private let offsets: RunIndex?
  /// The blocks of runs, empty if no sample has an offset.
  private let blocks: [Block]

  private static let runsPerBlock = 64

  init(_ samples: SampleTable, in buffer: BoxBuffer) {
    count = samples.count
    decoding = RunIndex(samples.timeToSample, sampleCount: samples.count, in: buffer)
    guard let table = samples.compositionOffsets, samples.count > 0 else {
      offsets = nil
      blocks = []
      return
    }
    offsets = RunIndex(table, sampleCount: samples.count, in: buffer)
    blocks = Self.blocks(of: samples, table, in: buffer)
  }

  private static func blocks(of samples: SampleTable, _ table: EntryTable, in buffer: BoxBuffer) -> [Block] {
    let raw = buffer.bytes.borrowedSpan
    var blocks: [Block] = []
    var offsets = RunCursor(table)
    var deltas = RunCursor(samples.timeToSample)
    var decodingTime: Int64 = 0
    var sample = 0
    var latestUntil = Int64.min
    while sample < samples.count {
      let start = sample
      var (earliest, latest) = (Int64.max, Int64.min)
      for _ in 0..<runsPerBlock where sample < samples.count {
        // Samples that no entry counts have neither an offset nor a duration.
        let run = offsets.run(in: raw) ?? (samples.count - sample, 0)
        let end = sample + min(run.count, samples.count - sample)
        let offset = Int64(Int32(bitPattern: run.value))
        earliest = min(earliest, decodingTime + offset)
        offsets.advance(by: end - sample)
        var last = decodingTime
        while sample < end {
          let delta = deltas.run(in: raw) ?? (end - sample, 0)
          let step = min(delta.count, end - sample)
          last = decodingTime + Int64(step - 1) * Int64(delta.value)
          decodingTime += Int64(step) * Int64(delta.value)
          deltas.advance(by: step)
          sample += step
        }
        latest = max(latest, last + offset)
      }
      latestUntil = max(latestUntil, latest)
      blocks.append(
        Block(start: start, earliest: earliest, latest: latest, latestUntil: latestUntil, earliestFrom: earliest))
    }
    var earliestFrom = Int64.max
    for index in blocks.indices.reversed() {
      earliestFrom = min(earliestFrom, blocks[index].earliest)
      blocks[index].earliestFrom = earliestFrom
    }
    return blocks
  }

  // MARK: By sample

  /// Returns the decoding time in ticks. All samples beyond those that `stts` counts have the time directly after the
  /// last counted one.
  func decodingTime(of sample: Int, in buffer: BoxBuffer) -> Int64 {
    guard let run = decoding.run(of: sample, in: buffer) else { return decoding.total }
    return run.sumBefore + Int64(sample - run.samples.lowerBound) * Int64(run.value)
  }

  /// Returns the duration in ticks.
  func duration(of sample: Int, in buffer: BoxBuffer) -> UInt32 { decoding.run(of: sample, in: buffer)?.value ?? 0 }

  /// Returns the offset in ticks. In version 0, offsets are unsigned by the standard, but some writers use negative
  /// ones. No real offset exceeds 2^31, so larger values are read as negative.
  func compositionOffset(of sample: Int, in buffer: BoxBuffer) -> Int32 {
    Int32(bitPattern: offsets?.run(of: sample, in: buffer)?.value ?? 0)
  }

  func mediaTime(of sample: Int, in buffer: BoxBuffer) -> Int64 {
    decodingTime(of: sample, in: buffer) + Int64(compositionOffset(of: sample, in: buffer))
  }

  // MARK: By time

  /// Returns the sample with the latest media time that is at most `time`, or nil if all are later.
  ///
  /// It takes O(log n + r), where r is the number of runs with samples both before and after `time`. Decoders reorder
  /// at most 16 pictures.
  func lastSample(shownAtOrBefore time: Int64, in buffer: BoxBuffer) -> Int? {
    let time = Self.clamped(time)
    guard !blocks.isEmpty else {
      return lastSample(decodedAtOrBefore: time, among: 0..<count, in: buffer)
    }
    var best: (sample: Int, time: Int64)?
    func look(in block: Int) {
      forEachRun(of: block, in: buffer) { samples, offset in
        guard let sample = lastSample(decodedAtOrBefore: time - offset, among: samples, in: buffer) else { return }
        let found = decodingTime(of: sample, in: buffer) + offset
        if found >= best?.time ?? .min { best = (sample, found) }
      }
    }
    // Before this block nothing is later than `time`. The latest sample there is in the first block that reaches that
    // latest time.
    let mixed = firstBlock { $0.latestUntil > time }
    if mixed > 0 { look(in: firstBlock { $0.latestUntil >= blocks[mixed - 1].latestUntil }) }
    // From this block on, everything is later than `time`.
    let later = firstBlock { $0.earliestFrom > time }
    for block in mixed..<max(mixed, later) where blocks[block].earliest <= time { look(in: block) }
    return best?.sample
  }

  /// Returns the sample with the earliest media time that is later than `time`, or nil if there is none.
  func firstSample(shownAfter time: Int64, in buffer: BoxBuffer) -> Int? {
    let time = Self.clamped(time)
    guard !blocks.isEmpty else {
      let last = lastSample(decodedAtOrBefore: time, among: 0..<count, in: buffer)
      let next = last.map { $0 + 1 } ?? 0
      return next < count ? next : nil
    }
    var best: (sample: Int, time: Int64)?
    func look(in block: Int) {
      forEachRun(of: block, in: buffer) { samples, offset in
        let last = lastSample(decodedAtOrBefore: time - offset, among: samples, in: buffer)
        let sample = last.map { $0 + 1 } ?? samples.lowerBound
        guard samples.contains(sample) else { return }
        let found = decodingTime(of: sample, in: buffer) + offset
        if found < best?.time ?? .max { best = (sample, found) }
      }
    }
    let mixed = firstBlock { $0.latestUntil > time }
    let later = firstBlock { $0.earliestFrom > time }
    for block in mixed..<max(mixed, later) where blocks[block].latest > time { look(in: block) }
    if later < blocks.count {
      let earliest = blocks[later].earliestFrom
      // The earliest sample is in the last block for which the earliest time from it on is still this one.
      look(in: firstBlock { $0.earliestFrom > earliest } - 1)
    }
    return best?.sample
  }

  /// Returns a time that is clamped to the range of possible times, so that an offset can be subtracted without
  /// overflow.
  private static func clamped(_ time: Int64) -> Int64 { min(max(time, -2 * Limits.ticks), 2 * Limits.ticks) }

  /// Returns the first block for which the condition holds. It must hold for all blocks after that one too.
  private func firstBlock(where condition: (Block) -> Bool) -> Int {
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if condition(blocks[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Calls `body` for every run of equal offsets in a block.
  private func forEachRun(of block: Int, in buffer: BoxBuffer, _ body: (Range<Int>, Int64) -> Void) {
    let end = block + 1 < blocks.count ? blocks[block + 1].start : count
    var sample = blocks[block].start
    while sample < end {
      guard let run = offsets?.run(of: sample, in: buffer) else {
        body(sample..<end, 0)
        return
      }
      body(sample..<min(end, run.samples.upperBound), Int64(Int32(bitPattern: run.value)))
      sample = run.samples.upperBound
    }
  }

  /// Returns the last of `samples` that is decoded no later than `time`, or nil if there is none.
  private func lastSample(
    decodedAtOrBefore time: Int64, among samples: Range<Int>, in buffer: BoxBuffer
  ) -> Int? {
    guard !samples.isEmpty, decodingTime(of: samples.lowerBound, in: buffer) <= time else { return nil }
    guard time < decoding.total else { return samples.upperBound - 1 }
    guard let run = decoding.lastRun(beginningAtOrBefore: time, in: buffer) else { return nil }
    let steps = run.value == 0 ? Int64(run.samples.count - 1) : (time - run.sumBefore) / Int64(run.value)
    let sample = run.samples.lowerBound + Int(min(steps, Int64(run.samples.count - 1)))
    return min(sample, samples.upperBound - 1)
  }
}
