internal import FootageBase

/// A run of samples of one track whose bytes are consecutive in a fragment.
///
/// It is a `trun` (ISO/IEC 14496-12 §8.8.8).
struct TrackRun {
  /// The index of the track in the movie's tracks, or nil if the track is left out.
  let track: Int?
  /// The entry in `stsd`, from 1.
  let descriptionIndex: UInt32
  /// The offset of the first sample in the file.
  let dataOffset: UInt64
  /// The total size of all samples in bytes.
  let byteCount: UInt64
  let count: Int
  /// The number of samples without bytes.
  let emptyCount: Int
  /// The decoding time of the first sample. It is nil if the sample follows the track's previous one (ISO/IEC 14496-12
  /// §8.8.12).
  let decodeTime: Int64?
  /// The flags for the fields that the records have.
  private let fields: UInt32
  /// The index of the first record in the buffer.
  private let records: Int
  private let defaults: FragmentDefaults
  private let firstSampleFlags: UInt32?

  struct Sample {
    let duration: UInt32
    let size: UInt32
    let flags: UInt32
    let compositionOffset: Int32
  }

  private static let hasDataOffset: UInt32 = 0x1
  private static let hasFirstSampleFlags: UInt32 = 0x4
  private static let hasDuration: UInt32 = 0x100
  private static let hasSize: UInt32 = 0x200
  private static let hasFlags: UInt32 = 0x400
  private static let hasCompositionOffset: UInt32 = 0x800

  /// - Parameters:
  ///   - base: the base of a data offset.
  ///   - implicitOffset: the start of the data if the run has no data offset.
  init(
    _ box: Box, in buffer: BoxBuffer, track: Int?, defaults: FragmentDefaults, base: UInt64, implicitOffset: UInt64,
    decodeTime: Int64?
  ) throws(MP4Error) {
    var reader = buffer.fields(of: box, in: "moof/traf")
    fields = try reader.versionAndFlags().flags
    let sampleCount = try reader.uint32()
    var dataOffset = implicitOffset
    if fields & Self.hasDataOffset != 0 {
      let relative = Int64(Int32(bitPattern: try reader.uint32()))
      // Both are far below 2^63, because the base was checked.
      let absolute = Int64(base) + relative
      guard absolute >= 0 else { throw reader.malformed("has data before the beginning of the file") }
      dataOffset = UInt64(absolute)
    }
    firstSampleFlags = fields & Self.hasFirstSampleFlags != 0 ? try reader.uint32() : nil
    let words = (fields >> 8 & 15).nonzeroBitCount
    let table = try reader.table(count: sampleCount, entrySize: 4 * words)
    count = table.count
    records = table.position
    self.track = track
    self.defaults = defaults
    self.dataOffset = dataOffset
    self.decodeTime = decodeTime
    descriptionIndex = defaults.descriptionIndex
    if fields & Self.hasSize == 0 {
      guard defaults.size > 0 || count <= Limits.emptySamplesPerRun else {
        throw reader.malformed("claims \(count) samples without a size")
      }
      byteCount = UInt64(defaults.size) * UInt64(count)
      emptyCount = defaults.size > 0 ? 0 : count
    } else {
      let raw = buffer.bytes.borrowedSpan
      var position = records + (fields & Self.hasDuration != 0 ? 4 : 0)
      var sum: UInt64 = 0
      var empty = 0
      for _ in 0..<count {
        let size = raw.uint32(at: position)
        sum += UInt64(size)
        if size == 0 { empty += 1 }
        position += 4 * words
      }
      byteCount = sum
      emptyCount = empty
    }
  }

  /// The sample that all of the run are like, or nil if they have records of their own or last too long together.
  var commonSample: Sample? {
    guard fields >> 8 & 15 == 0, firstSampleFlags == nil,
      UInt64(count) * UInt64(defaults.duration) <= Limits.equalSampleTicks
    else { return nil }
    return Sample(duration: defaults.duration, size: defaults.size, flags: defaults.flags, compositionOffset: 0)
  }

  /// The number of samples that take memory of their own: plain sound has tens of thousands of equal ones in a second.
  var entryCount: Int { commonSample == nil ? count : min(1, count) }

  /// Calls `body` for every sample, in order. The `tr_flags` are those of ISO/IEC 14496-12 §8.8.8.1.
  @inline(__always)
  func forEachSample(in buffer: BoxBuffer, _ body: (Sample) -> Void) {
    let raw = buffer.bytes.borrowedSpan
    var position = records
    func next() -> UInt32 {
      defer { position += 4 }
      return raw.uint32(at: position)
    }
    for index in 0..<count {
      let duration = fields & Self.hasDuration != 0 ? next() : defaults.duration
      let size = fields & Self.hasSize != 0 ? next() : defaults.size
      var flags = fields & Self.hasFlags != 0 ? next() : defaults.flags
      if index == 0, let firstSampleFlags { flags = firstSampleFlags }
      // Version 0 has unsigned offsets, but some writers put negative ones there too, and no real offset exceeds 2^31.
      let offset = fields & Self.hasCompositionOffset != 0 ? Int32(bitPattern: next()) : 0
      body(Sample(duration: duration, size: size, flags: flags, compositionOffset: offset))
    }
  }
}
