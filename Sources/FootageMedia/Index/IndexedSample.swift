/// A sample in an index.
package struct IndexedSample: Hashable, Sendable {
  /// The offset of its first byte in the recorder's file.
  package var offset: UInt64
  /// The decoding time in the track's ticks, as in the recorder's tables.
  package var decodingTime: Int64
  /// The composition offset in the track's ticks.
  package var compositionOffset: Int32
  /// The time until the next sample is decoded, in the track's ticks.
  package var duration: UInt32
  /// The size in bytes.
  package var size: UInt32
  /// The number of the entry in `stsd` that describes the sample, from 0.
  package var description: UInt16
  /// True if a decoder can begin with the sample.
  package var isSync: Bool

  package init(
    offset: UInt64, decodingTime: Int64, compositionOffset: Int32, duration: UInt32, size: UInt32,
    description: UInt16 = 0, isSync: Bool
  ) {
    self.offset = offset
    self.decodingTime = decodingTime
    self.compositionOffset = compositionOffset
    self.duration = duration
    self.size = size
    self.description = description
    self.isSync = isSync
  }

  /// Returns the same sample with this many ticks for each.
  func finer(_ factor: UInt32) -> IndexedSample {
    guard factor != 1 else { return self }
    var finer = self
    finer.decodingTime = decodingTime.scaled(by: factor)
    finer.compositionOffset = Int32(clamping: Int64(compositionOffset) * Int64(factor))
    finer.duration = UInt32(clamping: UInt64(duration) * UInt64(factor))
    return finer
  }

  /// The time at which the sample is shown, in ticks of the track before its edit list.
  package var mediaTime: Int64 { decodingTime + Int64(compositionOffset) }

  /// Returns true if another sample is decoded directly after this one.
  func isFollowed(by next: IndexedSample) -> Bool { next.decodingTime == decodingTime + Int64(duration) }

  /// The range of its bytes in the recorder's file.
  package var bytes: Range<UInt64> { offset..<(offset + UInt64(size)) }
}

/// A queue of samples: they are added at one end and removed at the other.
struct SampleQueue: Sendable {
  /// The removed samples, the waiting ones, and free slots. Free slots are filled with blank samples once and then
  /// reused, which is faster than appending to an array for each sample.
  private var slots: [IndexedSample] = []
  /// The number of removed samples in `slots`.
  private var head = 0
  /// The number of removed and waiting samples in `slots`.
  private var end = 0

  /// The number of removed samples at which the waiting ones are moved to the beginning of `slots`.
  private static let compaction = 8_192

  private static let blank = IndexedSample(
    offset: 0, decodingTime: 0, compositionOffset: 0, duration: 0, size: 0, isSync: false)

  var count: Int { end - head }
  var isEmpty: Bool { count == 0 }

  /// - Parameter index: the position after the first waiting sample.
  subscript(index: Int) -> IndexedSample {
    assert(index < count)
    return slots[head + index]
  }

  /// - Parameter index: the position after the first waiting sample.
  mutating func setDuration(_ duration: UInt32, of index: Int) {
    assert(index < count)
    slots[head + index].duration = duration
  }

  /// Delays the decoding of neighboring samples, which are shown at the same times as before.
  ///
  /// - Parameters:
  ///   - range: their positions after the first waiting sample. The sample before them lasts longer, and the last of
  ///     them less long.
  ///   - ticks: at most the composition offset of each, and less than the duration of the last.
  mutating func delay(_ range: ClosedRange<Int>, by ticks: Int64) {
    assert(range.upperBound < count)
    for index in range {
      slots[head + index].decodingTime += ticks
      slots[head + index].compositionOffset -= Int32(clamping: ticks)
    }
    slots[head + range.upperBound].duration -= UInt32(clamping: ticks)
    guard range.lowerBound > 0 else { return }
    let former = head + range.lowerBound - 1
    slots[former].duration = UInt32(clamping: Int64(slots[former].duration) + ticks)
  }

  /// Marks a waiting sample as one with which no decoder can begin.
  ///
  /// - Parameter index: the position after the first waiting sample.
  mutating func clearSync(of index: Int) {
    assert(index < count)
    slots[head + index].isSync = false
  }

  /// Returns the first waiting samples.
  func first(_ count: Int) -> ArraySlice<IndexedSample> {
    assert(count <= self.count)
    return slots[head..<(head + count)]
  }

  mutating func append(_ sample: IndexedSample) {
    makeRoom(1)
    slots[end] = sample
    end += 1
  }

  /// Appends the samples that a closure writes.
  ///
  /// - Parameter count: the largest number of samples that the closure may write.
  @inline(__always)
  mutating func append(atMost count: Int, _ body: (inout OutputSpan<IndexedSample>) -> Void) {
    makeRoom(count)
    let room = end..<(end + count)
    // Safe because the range lies within the array, and a sample needs no deinitialization before it is overwritten.
    end += unsafe slots.withUnsafeMutableBufferPointer { slots in
      let room = unsafe UnsafeMutableBufferPointer(rebasing: slots[room])
      var span = unsafe OutputSpan(buffer: room, initializedCount: 0)
      body(&span)
      return unsafe span.finalize(for: room)
    }
  }

  private mutating func makeRoom(_ count: Int) {
    let missing = end + count - slots.count
    if missing > 0 { slots.append(contentsOf: repeatElement(Self.blank, count: max(missing, slots.count))) }
  }

  mutating func removeFirst(_ count: Int) {
    assert(count <= self.count)
    head += count
    guard head >= Self.compaction else { return }
    for index in head..<end { slots[index - head] = slots[index] }
    (head, end) = (0, end - head)
  }
}
