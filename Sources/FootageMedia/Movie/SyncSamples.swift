internal import FootageBase

/// The samples with which a decoder can begin, by number and by time (`stss`, ISO/IEC 14496-12 §8.6.2).
struct SyncSamples: Sendable {
  private enum Numbers {
    /// The track has no `stss`, so each sample is a sync sample.
    case all
    /// The sample numbers, from 1, in a table in which they increase.
    case table(EntryTable)
    /// The sample numbers, from 1, of a table in which they do not increase, sorted.
    case sorted([UInt32])
  }

  private let numbers: Numbers
  /// The indices into `numbers` in the order of media times, or nil if the order is the same.
  private let byTime: [UInt32]?
  private let times: SampleTimes

  init(_ samples: SampleTable, times: SampleTimes, in buffer: BoxBuffer) {
    self.times = times
    guard let table = samples.syncSamples else {
      numbers = .all
      byTime = nil
      return
    }
    numbers = Self.numbers(table, sampleCount: samples.count, in: buffer)
    byTime = Self.order(of: numbers, samples, in: buffer)
  }

  private static func numbers(_ table: EntryTable, sampleCount: Int, in buffer: BoxBuffer) -> Numbers {
    let raw = buffer.bytes.borrowedSpan
    var last: UInt32 = 0
    var rises = true
    for index in 0..<table.count where rises {
      let number = raw.uint32(at: table.position + 4 * index)
      rises = number > last && Int(number) <= sampleCount
      last = number
    }
    guard !rises else { return .table(table) }
    var sorted: [UInt32] = []
    for index in 0..<table.count {
      let number = raw.uint32(at: table.position + 4 * index)
      if number > 0, Int(number) <= sampleCount { sorted.append(number) }
    }
    sorted.sort()
    var numbers: [UInt32] = []
    for number in sorted where number != numbers.last { numbers.append(number) }
    return .sorted(numbers)
  }

  /// - Returns: nil if media times increase with the numbers.
  private static func order(of numbers: Numbers, _ samples: SampleTable, in buffer: BoxBuffer) -> [UInt32]? {
    guard let offsetTable = samples.compositionOffsets else { return nil }
    let raw = buffer.bytes.borrowedSpan
    // One walk over the tables costs less than a look-up for each sample.
    var deltas = RunCursor(samples.timeToSample)
    var offsets = RunCursor(offsetTable)
    var decodingTime: Int64 = 0
    var sample = 0
    var times: [Int64] = []
    for index in 0..<count(of: numbers) {
      let number = sampleIndex(index, of: numbers, raw)
      decodingTime += deltas.skip(number - sample, in: raw)
      _ = offsets.skip(number - sample, in: raw)
      sample = number
      times.append(decodingTime + Int64(Int32(bitPattern: offsets.run(in: raw)?.value ?? 0)))
    }
    guard zip(times, times.dropFirst()).contains(where: { $0 > $1 }) else { return nil }
    return times.indices.map { UInt32($0) }.sorted { (times[Int($0)], $0) < (times[Int($1)], $1) }
  }

  private static func count(of numbers: Numbers) -> Int {
    switch numbers {
    case .all: 0
    case .table(let table): table.count
    case .sorted(let numbers): numbers.count
    }
  }

  /// - Parameter index: an index into `numbers`.
  /// - Returns: the number of the sample, from 0.
  private static func sampleIndex(_ index: Int, of numbers: Numbers, _ raw: Span<UInt8>) -> Int {
    switch numbers {
    case .all: index
    case .table(let table): Int(raw.uint32(at: table.position + 4 * index)) - 1
    case .sorted(let numbers): Int(numbers[index]) - 1
    }
  }

  /// Returns the sync sample with the latest media time that is at most `time`, or nil if all are later.
  func last(shownAtOrBefore time: Int64, in buffer: BoxBuffer) -> Int? {
    if case .all = numbers { return times.lastSample(shownAtOrBefore: time, in: buffer) }
    let place = firstPlace(shownAfter: time, in: buffer)
    return place > 0 ? sample(place - 1, in: buffer) : nil
  }

  /// Returns the sync sample with the earliest media time that is later than `time`, or nil if there is none.
  func first(shownAfter time: Int64, in buffer: BoxBuffer) -> Int? {
    if case .all = numbers { return times.firstSample(shownAfter: time, in: buffer) }
    let place = firstPlace(shownAfter: time, in: buffer)
    return place < Self.count(of: numbers) ? sample(place, in: buffer) : nil
  }

  /// Returns true if a sample, counted from 0, is a sync sample.
  func contains(_ sample: Int, in buffer: BoxBuffer) -> Bool {
    if case .all = numbers { return true }
    var low = 0
    var high = Self.count(of: numbers)
    while low < high {
      let middle = (low + high) / 2
      if Self.sampleIndex(middle, of: numbers, buffer.bytes.borrowedSpan) < sample {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low < Self.count(of: numbers) && Self.sampleIndex(low, of: numbers, buffer.bytes.borrowedSpan) == sample
  }

  /// Returns the sync sample at an index in the order of media times.
  private func sample(_ place: Int, in buffer: BoxBuffer) -> Int {
    Self.sampleIndex(byTime.map { Int($0[place]) } ?? place, of: numbers, buffer.bytes.borrowedSpan)
  }

  private func firstPlace(shownAfter time: Int64, in buffer: BoxBuffer) -> Int {
    var low = 0
    var high = Self.count(of: numbers)
    while low < high {
      let middle = (low + high) / 2
      if times.mediaTime(of: sample(middle, in: buffer), in: buffer) > time { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
