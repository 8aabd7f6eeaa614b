/// One sample, as an index has it.
package struct IndexedSample: Hashable, Sendable {
  /// Of its first byte, in the recorder's file.
  package var offset: UInt64
  /// In the track's ticks, as the recorder's tables have it.
  package var decodingTime: Int64
  /// In the track's ticks.
  package var compositionOffset: Int32
  /// Until the next one is decoded, in the track's ticks.
  package var duration: UInt32
  /// In bytes.
  package var size: UInt32
  /// Which entry of `stsd` describes it, from 0.
  package var description: UInt16
  /// Whether a decoder can begin with it.
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

  /// When it is shown, on the track's own line, before its edit list, in ticks.
  package var mediaTime: Int64 { decodingTime + Int64(compositionOffset) }

  /// In the recorder's file.
  package var bytes: Range<UInt64> { offset..<(offset + UInt64(size)) }
}

/// Samples that wait at one end of a queue and are taken from the other.
struct SampleQueue: Sendable {
  /// The samples that were taken, those that wait, and room for more. Room is filled with blank samples once and then used
  /// again and again: to copy samples in, or to let an array grow by one after the other, would make an index cost more.
  private var slots: [IndexedSample] = []
  /// The number of samples in `slots` that were taken.
  private var head = 0
  /// The number of samples in `slots` that were taken or wait.
  private var end = 0

  /// The waiting samples move to the beginning of `slots` when so many were taken.
  private static let compaction = 8_192

  private static let blank = IndexedSample(
    offset: 0, decodingTime: 0, compositionOffset: 0, duration: 0, size: 0, isSync: false)

  var count: Int { end - head }
  var isEmpty: Bool { count == 0 }

  /// - Parameter index: counted from the first that waits.
  subscript(index: Int) -> IndexedSample {
    assert(index < count)
    return slots[head + index]
  }

  /// The first ones.
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
  /// - Parameter count: the most samples that the closure may write.
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
