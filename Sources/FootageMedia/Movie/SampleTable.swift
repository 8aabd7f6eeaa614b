internal import FootageBase

/// A track's samples, described by the tables in `stbl`. The tables are read in place and never unpacked.
///
/// ISO/IEC 14496-12 §8.5 to §8.7. Counts and positions are checked: every entry lies inside the buffer.
struct SampleTable: Sendable {
  enum Sizes: Hashable, Sendable {
    /// `stsz` with one size for all samples, in bytes.
    case constant(UInt32)
    /// `stsz` with 32 bits for each sample.
    case words(EntryTable)
    /// `stz2` with 4, 8 or 16 bits for each sample.
    case compact(EntryTable, bits: Int)
  }

  /// The chunk offsets, in `stco` or `co64`.
  struct ChunkOffsets: Hashable, Sendable {
    let box: Box
    let entries: EntryTable
    let is64Bit: Bool
  }

  /// A run of samples whose bytes are consecutive.
  struct Chunk {
    /// The offset of the chunk in the file.
    let offset: UInt64
    /// The number of its first sample, from 0.
    let firstSample: Int
    let sampleCount: Int
    /// The entry in `stsd`, from 1.
    let descriptionIndex: UInt32
  }

  static let singleBoxes: [FourCharacterCode] = [
    "stsd", "stts", "ctts", "stsc", "stsz", "stz2", "stco", "co64", "stss",
  ]

  /// The number of samples.
  let count: Int
  let sizes: Sizes
  let chunkOffsets: ChunkOffsets
  /// The `stsc`: first chunk, samples per chunk and description index, 32 bits each.
  let sampleToChunk: EntryTable
  /// The `stts`: count and delta, 32 bits each.
  let timeToSample: EntryTable
  /// The `ctts`: count and offset, 32 bits each.
  let compositionOffsets: EntryTable?
  /// The `stss`: sample numbers from 1.
  let syncSamples: EntryTable?
  /// The sum of all deltas, in the track's ticks.
  let decodingDuration: Int64
  /// The largest delta, in the track's ticks.
  let longestDuration: UInt32
  let notes: [String]

  /// True if all samples have one size, so that they need not be looked at one by one.
  var hasOneSize: Bool { if case .constant = sizes { true } else { false } }

  init(
    _ children: BoxChildren, in buffer: BoxBuffer, at path: String, sampleEntryCount: Int
  ) throws(MP4Error) {
    /// Reads the table of a full box that consists of a count and entries.
    func table(_ box: Box, entrySize: Int) throws(MP4Error) -> EntryTable {
      var fields = buffer.fields(of: box, in: path)
      try fields.skip(4)
      return try fields.table(count: try fields.uint32(), entrySize: entrySize)
    }
    (count, sizes) = try Self.sizes(children, in: buffer, at: path)
    timeToSample = try table(try children.required("stts"), entrySize: 8)
    if let box = children["ctts"] {
      compositionOffsets = try table(box, entrySize: 8)
    } else {
      compositionOffsets = nil
    }
    if let box = children["stss"] { syncSamples = try table(box, entrySize: 4) } else { syncSamples = nil }
    let sampleToChunkBox = try children.required("stsc")
    sampleToChunk = try table(sampleToChunkBox, entrySize: 12)
    switch (children["stco"], children["co64"]) {
    case (let box?, nil):
      chunkOffsets = ChunkOffsets(box: box, entries: try table(box, entrySize: 4), is64Bit: false)
    case (nil, let box?):
      chunkOffsets = ChunkOffsets(box: box, entries: try table(box, entrySize: 8), is64Bit: true)
    case (_?, let box?): throw .duplicate(buffer.place(of: box, in: path))
    case (nil, nil): throw .missing("stco", in: children.place)
    }

    var notes: [String] = []
    let times = Self.countAndDuration(timeToSample, in: buffer.bytes)
    guard times.duration <= Limits.ticks else {
      throw .malformed(
        buffer.place(of: try children.required("stts"), in: path), "has a total duration that is out of range")
    }
    decodingDuration = times.duration
    longestDuration = times.longest
    if times.count != UInt64(count) { notes.append("'stts' has times for \(times.count) of \(count) samples") }
    self.notes = notes
    try checkSampleToChunk(
      in: buffer, place: buffer.place(of: sampleToChunkBox, in: path), sampleEntryCount: sampleEntryCount)
  }

  /// Reads `stsz` or `stz2` (ISO/IEC 14496-12 §8.7.3).
  private static func sizes(
    _ children: BoxChildren, in buffer: BoxBuffer, at path: String
  ) throws(MP4Error) -> (count: Int, sizes: Sizes) {
    func checked(_ count: UInt32, _ box: Box) throws(MP4Error) -> Int {
      guard count <= UInt32(Limits.samples) else {
        throw .tooMuch(buffer.place(of: box, in: path), of: "samples", limit: UInt64(Limits.samples))
      }
      return Int(count)
    }
    switch (children["stsz"], children["stz2"]) {
    case (let box?, nil):
      var fields = buffer.fields(of: box, in: path)
      try fields.skip(4)
      let size = try fields.uint32()
      let count = try fields.uint32()
      // Samples of one size need no memory, however many they are: sound without compression has one for each tick.
      if size > 0 { return (Int(count), .constant(size)) }
      return (try checked(count, box), .words(try fields.table(count: count, entrySize: 4)))
    case (nil, let box?):
      var fields = buffer.fields(of: box, in: path)
      try fields.skip(7)
      let bits = Int(try fields.uint8())
      let count = try checked(try fields.uint32(), box)
      guard bits == 4 || bits == 8 || bits == 16 else { throw fields.malformed("has sample sizes of \(bits) bits") }
      let byteCount = UInt32((count * bits + 7) / 8)
      var table = try fields.table(count: byteCount, entrySize: 1)
      table.count = count
      return (count, .compact(table, bits: bits))
    case (_?, let box?): throw .duplicate(buffer.place(of: box, in: path))
    case (nil, nil): throw .missing("stsz", in: children.place)
    }
  }

  private static func countAndDuration(
    _ table: EntryTable, in bytes: [UInt8]
  ) -> (count: UInt64, duration: Int64, longest: UInt32) {
    let raw = bytes.borrowedSpan
    var count: UInt64 = 0
    var duration: Int64 = 0
    var longest: UInt32 = 0
    for index in 0..<table.count {
      let position = table.position + 8 * index
      let entryCount = raw.uint32(at: position)
      // Both are below 2^32, and there are fewer than 2^25 entries. The count cannot overflow, but the duration may.
      count += UInt64(entryCount)
      let delta = raw.uint32(at: position + 4)
      longest = max(longest, delta)
      let (product, overflow) = Int64(entryCount).multipliedReportingOverflow(by: Int64(delta))
      let (sum, overflowToo) = duration.addingReportingOverflow(product)
      if overflow || overflowToo { return (count, .max, longest) }
      duration = sum
    }
    return (count, duration, longest)
  }

  /// Checks that chunk numbers begin at 1 and increase, and that the chunks have room for all samples (ISO/IEC 14496-12
  /// §8.7.4).
  private func checkSampleToChunk(
    in buffer: BoxBuffer, place: BoxPlace, sampleEntryCount: Int
  ) throws(MP4Error) {
    let raw = buffer.bytes.borrowedSpan
    let chunkCount = UInt64(chunkOffsets.entries.count)
    var capacity: UInt64 = 0
    for index in 0..<sampleToChunk.count {
      let position = sampleToChunk.position + 12 * index
      let first = UInt64(raw.uint32(at: position))
      let isLast = index + 1 == sampleToChunk.count
      let next = isLast ? max(first, chunkCount + 1) : UInt64(raw.uint32(at: position + 12))
      guard index > 0 || first == 1, isLast || next > first else {
        throw .malformed(place, "does not number its chunks in ascending order from 1")
      }
      // An entry for chunks that do not exist does no harm, because it is never used.
      let chunks = min(next, chunkCount + 1) - min(first, chunkCount + 1)
      let description = raw.uint32(at: position + 8)
      guard chunks == 0 || (1...UInt64(max(1, sampleEntryCount))).contains(UInt64(description)) else {
        throw .malformed(place, "refers to sample description \(description), but there are \(sampleEntryCount)")
      }
      let (samples, overflow) = chunks.multipliedReportingOverflow(by: UInt64(raw.uint32(at: position + 4)))
      capacity = overflow ? .max : capacity.addingReportingOverflow(samples).overflow ? .max : capacity + samples
    }
    guard capacity >= UInt64(count) else {
      throw .malformed(place, "has room for \(capacity) of \(count) samples")
    }
  }
}
