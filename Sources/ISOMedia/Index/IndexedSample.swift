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
  private var samples: [IndexedSample] = []
  private var head = 0

  /// Taken ones are forgotten when there are so many.
  private static let compaction = 8_192

  var count: Int { samples.count - head }
  var isEmpty: Bool { count == 0 }

  /// - Parameter index: counted from the first that waits.
  subscript(index: Int) -> IndexedSample { samples[head + index] }

  /// The first ones.
  func first(_ count: Int) -> ArraySlice<IndexedSample> { samples[head..<(head + count)] }

  mutating func append(_ sample: IndexedSample) { samples.append(sample) }

  /// Appends what a closure does, which is at most `count`.
  @inline(__always)
  mutating func append(atMost count: Int, _ body: (inout OutputSpan<IndexedSample>) -> Void) {
    samples.append(addingCapacity: count, initializingWith: body)
  }

  mutating func removeFirst(_ count: Int) {
    head += count
    guard head >= Self.compaction else { return }
    samples.removeFirst(head)
    head = 0
  }
}
