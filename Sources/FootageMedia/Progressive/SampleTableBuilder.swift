internal import FootageBase

/// A track's sample table that is built sample by sample (ISO/IEC 14496-12 §8.5 to §8.7).
struct SampleTableBuilder {
  /// Pairs of count and value, as in `stts` and `ctts`.
  struct Runs {
    /// All pairs but the last.
    private var bytes: [UInt8] = []
    private var count: UInt32 = 0
    private var value: UInt32 = 0

    mutating func append(_ next: UInt32) {
      if next == value, count > 0 {
        count += 1
      } else {
        flush()
        value = next
        count = 1
      }
    }

    private mutating func flush() {
      guard count > 0 else { return }
      bytes.append(bigEndian: count)
      bytes.append(bigEndian: value)
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

  /// Appends a sample. Its duration follows with `append(duration:)` when it is known.
  @inline(__always)
  mutating func append(size: UInt32, compositionOffset: Int32, isSync: Bool) {
    compositionOffsets.append(UInt32(bitPattern: compositionOffset))
    if compositionOffset != 0 { hasCompositionOffsets = true }
    if compositionOffset < 0 { hasNegativeOffsets = true }

    if sampleCount == 0 {
      commonSize = size
    } else if size != commonSize, sizes.isEmpty {
      sizes.reserveCapacity(4 * (sampleCount + 1))
      for _ in 0..<sampleCount { sizes.append(bigEndian: commonSize) }
    }
    if size != commonSize || !sizes.isEmpty { sizes.append(bigEndian: size) }

    if !isSync, !hasOtherThanSync {
      hasOtherThanSync = true
      for number in 0..<sampleCount { syncSamples.append(bigEndian: UInt32(number + 1)) }
    }
    sampleCount += 1
    if isSync, hasOtherThanSync { syncSamples.append(bigEndian: UInt32(sampleCount)) }
  }

  /// Appends the duration of the first sample that has none yet, in the track's ticks.
  @inline(__always)
  mutating func append(duration: UInt32) { durations.append(duration) }
}
