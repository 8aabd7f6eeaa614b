internal import FootageBase

/// The samples of a few seconds in an index: those of the leading track, and those of the sound beside it.
package struct SampleBlock: Hashable, Sendable {
  /// The samples of the pictures, or of the sound if there are no pictures, in decoding order.
  package var leading: [IndexedSample] = []
  /// The samples of the sound beside pictures, in decoding order.
  package var sound: [IndexedSample] = []

  package init(leading: [IndexedSample] = [], sound: [IndexedSample] = []) {
    self.leading = leading
    self.sound = sound
  }
}

/// A block as bytes.
///
/// For each of the two tracks they hold the number of samples, which may be 0. If it is not 0, these follow: the first
/// sample's decoding time and entry in `stsd`; runs of equal durations; composition offsets, as multiples of their
/// common divisor; the sync samples; and the sizes. After both tracks follow the positions: runs of adjoining samples
/// of one track, with the gap before each. All integers have variable length.
extension SampleBlock {
  /// The largest number of a track's samples in a block that is read.
  static let sampleLimit = 16_384

  private enum SyncSamples: UInt64 {
    case none, first, all, listed
  }

  static func encode(
    leading: ArraySlice<IndexedSample>, sound: ArraySlice<IndexedSample>, into bytes: inout [UInt8],
    by room: inout ByteRoom
  ) {
    // Each sample may need a run (2), an offset, a place among sync samples, a size, and a place in the file (2).
    let limit = (20 + 7 * (leading.count + sound.count)) * OutputSpan<UInt8>.variableLimit
    room.append(atMost: limit, to: &bytes) { bytes in
      encode(leading.span, into: &bytes)
      encode(sound.span, into: &bytes)
      encodePlaces(leading, sound, into: &bytes)
    }
  }

  private static func encode(_ samples: Span<IndexedSample>, into bytes: inout OutputSpan<UInt8>) {
    bytes.append(variable: UInt64(samples.count))
    guard samples.count > 0 else { return }
    let first = samples[0]
    bytes.append(variable: first.decodingTime)
    bytes.append(variable: UInt64(first.description))

    var run: (count: UInt64, duration: UInt32) = (0, first.duration)
    var unit: UInt32 = 0
    var syncCount = 0
    var hasOneSize = true
    for index in samples.indices {
      let sample = samples[index]
      if sample.duration == run.duration {
        run.count += 1
      } else {
        bytes.append(variable: run.count)
        bytes.append(variable: UInt64(run.duration))
        run = (1, sample.duration)
      }
      if sample.compositionOffset != 0 {
        unit = greatestCommonDivisor(unit, sample.compositionOffset.magnitude)
      }
      if sample.isSync { syncCount += 1 }
      if sample.size != first.size { hasOneSize = false }
    }
    bytes.append(variable: run.count)
    bytes.append(variable: UInt64(run.duration))

    bytes.append(variable: UInt64(unit))
    if unit > 0 {
      for index in samples.indices {
        let offset = samples[index].compositionOffset
        let multiple = Int64(offset.magnitude / unit)
        bytes.append(variable: offset < 0 ? -multiple : multiple)
      }
    }

    let sync: SyncSamples =
      syncCount == samples.count ? .all : syncCount == 0 ? .none : syncCount == 1 && first.isSync ? .first : .listed
    bytes.append(variable: sync.rawValue)
    if sync == .listed {
      bytes.append(variable: UInt64(syncCount))
      var last = 0
      for index in samples.indices where samples[index].isSync {
        bytes.append(variable: UInt64(index - last))
        last = index
      }
    }

    bytes.append(variable: UInt64(hasOneSize ? 1 : 0))
    if hasOneSize {
      bytes.append(variable: UInt64(first.size))
    } else {
      for index in samples.indices { bytes.append(variable: UInt64(samples[index].size)) }
    }
  }

  private static func greatestCommonDivisor(_ first: UInt32, _ second: UInt32) -> UInt32 {
    if first == second || first == 1 { return first }
    var (greatest, rest) = (second, first)
    while rest != 0 { (greatest, rest) = (rest, greatest % rest) }
    return greatest
  }

  /// Encodes the positions of samples as runs. The integer of a run is its count times 4, plus 2 for sound, plus 1 if a
  /// gap comes before it. The gap follows.
  private static func encodePlaces(
    _ leading: ArraySlice<IndexedSample>, _ sound: ArraySlice<IndexedSample>, into bytes: inout OutputSpan<UInt8>
  ) {
    var nextLeading = leading.startIndex
    var nextSound = sound.startIndex
    var position: UInt64 = 0
    while true {
      let isSound: Bool
      if nextLeading < leading.endIndex {
        isSound = nextSound < sound.endIndex && sound[nextSound].offset < leading[nextLeading].offset
      } else {
        guard nextSound < sound.endIndex else { return }
        isSound = true
      }
      let offset = isSound ? sound[nextSound].offset : leading[nextLeading].offset
      let gap = Int64(bitPattern: offset &- position)
      position = offset
      var count: UInt64 = 0
      // The two loops are the same, because choosing between two arrays at each step would cost more than the step.
      if isSound {
        while nextSound < sound.endIndex, sound[nextSound].offset == position {
          position &+= UInt64(sound[nextSound].size)
          (nextSound, count) = (nextSound + 1, count + 1)
        }
      } else {
        while nextLeading < leading.endIndex, leading[nextLeading].offset == position {
          position &+= UInt64(leading[nextLeading].size)
          (nextLeading, count) = (nextLeading + 1, count + 1)
        }
      }
      bytes.append(variable: count << 2 | (isSound ? 2 : 0) | (gap == 0 ? 0 : 1))
      if gap != 0 { bytes.append(variable: gap) }
    }
  }
}

extension SampleBlock {
  /// - Parameters:
  ///   - reader: a reader at the block's first byte. It is moved past the last one.
  ///   - fileLength: the length of the recorder's file in bytes. No sample lies beyond it.
  /// - Returns: nil if the bytes are not a block.
  init?(_ reader: inout VariableLengthReader, fileLength: UInt64) {
    guard let leading = Self.samples(&reader), let sound = Self.samples(&reader) else { return nil }
    self.init(leading: leading, sound: sound)
    guard place(&reader, fileLength: fileLength) else { return nil }
  }

  /// Reads the samples of a track without their places.
  private static func samples(_ reader: inout VariableLengthReader) -> [IndexedSample]? {
    guard let count = reader.count(limit: sampleLimit) else { return nil }
    guard count > 0 else { return [] }
    guard var time = reader.signed(), (-Limits.ticks...Limits.ticks).contains(time),
      let description = reader.count(limit: Limits.sampleEntries)
    else { return nil }
    var samples: [IndexedSample] = []
    samples.reserveCapacity(count)
    while samples.count < count {
      guard let run = reader.count(limit: count - samples.count), run > 0,
        let duration = reader.unsigned().flatMap({ UInt32(exactly: $0) })
      else { return nil }
      for _ in 0..<run {
        samples.append(
          IndexedSample(
            offset: 0, decodingTime: time, compositionOffset: 0, duration: duration, size: 0,
            description: UInt16(description), isSync: false))
        // The time is below 2^60, and at most 2^14 durations below 2^32 are added.
        time += Int64(duration)
      }
    }
    guard let unit = reader.unsigned().flatMap({ Int32(exactly: $0) }) else { return nil }
    if unit > 0 {
      for index in samples.indices {
        guard let multiple = reader.signed() else { return nil }
        let (offset, overflow) = multiple.multipliedReportingOverflow(by: Int64(unit))
        guard !overflow, let offset = Int32(exactly: offset) else { return nil }
        samples[index].compositionOffset = offset
      }
    }
    switch reader.unsigned().flatMap(SyncSamples.init(rawValue:)) {
    case .none?: break
    case .first: samples[0].isSync = true
    case .all: for index in samples.indices { samples[index].isSync = true }
    case .listed:
      guard let syncCount = reader.count(limit: count) else { return nil }
      var index = 0
      for _ in 0..<syncCount {
        guard let step = reader.count(limit: count), index + step < count else { return nil }
        index += step
        samples[index].isSync = true
      }
    case nil: return nil
    }
    guard let hasOneSize = reader.count(limit: 1) else { return nil }
    var size: UInt32?
    for index in samples.indices {
      if hasOneSize == 0 || index == 0 { size = reader.unsigned().flatMap { UInt32(exactly: $0) } }
      guard let size else { return nil }
      samples[index].size = size
    }
    return samples
  }

  private mutating func place(_ reader: inout VariableLengthReader, fileLength: UInt64) -> Bool {
    var nextLeading = 0
    var nextSound = 0
    var position: UInt64 = 0
    while nextLeading < leading.count || nextSound < sound.count {
      guard let code = reader.count(limit: Self.sampleLimit << 2 | 3) else { return false }
      if code & 1 == 1 {
        guard let gap = reader.signed() else { return false }
        position = position &+ UInt64(bitPattern: gap)
      }
      for _ in 0..<(code >> 2) {
        if code & 2 != 0 {
          guard nextSound < sound.count, Self.place(&sound[nextSound], &position, fileLength) else { return false }
          nextSound += 1
        } else {
          guard nextLeading < leading.count, Self.place(&leading[nextLeading], &position, fileLength) else {
            return false
          }
          nextLeading += 1
        }
      }
      // Runs without samples could make the loop endless.
      guard code >> 2 > 0 else { return false }
    }
    return true
  }

  private static func place(_ sample: inout IndexedSample, _ position: inout UInt64, _ fileLength: UInt64) -> Bool {
    let size = UInt64(sample.size)
    guard position <= fileLength, size <= fileLength - position else { return false }
    sample.offset = position
    position += size
    return true
  }
}
