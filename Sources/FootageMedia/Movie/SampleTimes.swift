internal import FootageBase

/// Finds samples by when they are shown, and the other way round, by `stts` and `ctts` (ISO/IEC 14496-12 §8.6.1).
///
/// A media time is a time on the track's own line, before its edit list: decoding time plus composition offset, in
/// ticks. Within a run of equal offsets times never go back; only where offsets change they may. So the runs are looked
/// at in blocks of 64, of each of which the first and the last time are known.
struct SampleTimes: Sendable {
  private struct Block {
    /// The first sample.
    let start: Int
    let earliest: Int64
    let latest: Int64
    /// Of all blocks up to this one.
    let latestUntil: Int64
    /// Of all blocks from this one on.
    var earliestFrom: Int64
  }

  private let count: Int
  private let decoding: RunIndex
  private let offsets: RunIndex?
  /// Empty where no sample has an offset.
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
        // Samples that no entry counts have no offset, and no duration.
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

  /// In ticks. A sample that `stts` does not count follows the last that it does, at once.
  func decodingTime(of sample: Int, in buffer: BoxBuffer) -> Int64 {
    guard let run = decoding.run(of: sample, in: buffer) else { return decoding.total }
    return run.sumBefore + Int64(sample - run.samples.lowerBound) * Int64(run.value)
  }

  /// In ticks.
  func duration(of sample: Int, in buffer: BoxBuffer) -> UInt32 { decoding.run(of: sample, in: buffer)?.value ?? 0 }

  /// In ticks. Version 0 has them unsigned, but writers put negative ones there too, and no real one passes 2^31.
  func compositionOffset(of sample: Int, in buffer: BoxBuffer) -> Int32 {
    Int32(bitPattern: offsets?.run(of: sample, in: buffer)?.value ?? 0)
  }

  func mediaTime(of sample: Int, in buffer: BoxBuffer) -> Int64 {
    decodingTime(of: sample, in: buffer) + Int64(compositionOffset(of: sample, in: buffer))
  }

  // MARK: By time

  /// The sample with the latest media time that is at most `time`; nil where all are later.
  ///
  /// O(log n + r), where r is how many runs hold both earlier and later samples than `time`: decoders reorder 16
  /// pictures at most.
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
    // Up to here nothing is later than `time`: the latest of it is in the block that first comes to it.
    let mixed = firstBlock { $0.latestUntil > time }
    if mixed > 0 { look(in: firstBlock { $0.latestUntil >= blocks[mixed - 1].latestUntil }) }
    // From here on everything is.
    let later = firstBlock { $0.earliestFrom > time }
    for block in mixed..<max(mixed, later) where blocks[block].earliest <= time { look(in: block) }
    return best?.sample
  }

  /// The sample with the earliest media time that is later than `time`; nil where none is.
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
      // The last block from which on nothing is earlier has it.
      look(in: firstBlock { $0.earliestFrom > earliest } - 1)
    }
    return best?.sample
  }

  /// Far beyond what samples have, so that an offset can be taken off it.
  private static func clamped(_ time: Int64) -> Int64 { min(max(time, -2 * Limits.ticks), 2 * Limits.ticks) }

  /// The first block for which the condition holds, which holds for all after it too.
  private func firstBlock(where condition: (Block) -> Bool) -> Int {
    var low = 0
    var high = blocks.count
    while low < high {
      let middle = (low + high) / 2
      if condition(blocks[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Every run of equal offsets in a block.
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

  /// Of some samples, which are not empty, the last that is decoded no later than `time`.
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
