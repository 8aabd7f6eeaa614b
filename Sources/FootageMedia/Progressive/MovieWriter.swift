internal import FootageBase

/// A writer of a `moov` that is derived from another one. Boxes are copied, left out, or rewritten.
///
/// Every `moov` is written by this type: by `Faststart`, which changes chunk offsets and keeps every other byte; by
/// `FragmentedMovieWriter`, which replaces times and sample tables; and by the views, which keep only what a few
/// samples need.
struct MovieWriter {
  private let movie: Movie
  private var output: BoxWriter
  /// The tables of chunk offsets that are still relative to the start of the media.
  private var offsetTables: [OffsetTable] = []

  private struct OffsetTable {
    /// The index of the first entry in the written bytes.
    let position: Int
    let count: Int
    let is64Bit: Bool
  }

  /// - Parameters:
  ///   - fileType: the bytes before the `moov`: a whole `ftyp`, or nothing.
  ///   - capacity: the expected length of all written bytes, if it is known.
  init(_ movie: Movie, after fileType: [UInt8], capacity: Int = 0) {
    self.movie = movie
    output = BoxWriter(fileType, capacity: capacity)
  }

  /// All written bytes, including `ftyp`.
  var bytes: [UInt8] { output.bytes }

  // MARK: Boxes

  /// Writes a box whose content `content` writes.
  mutating func box(
    _ type: FourCharacterCode, headerSize: Int = 8, _ content: (inout MovieWriter) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let start = output.begin(type, headerSize: headerSize)
    try content(&self)
    output.end(start, headerSize: headerSize)
  }

  /// Writes a box of the source, child by child. The length of its header and the bytes after its last child stay the
  /// same.
  ///
  /// - Parameter path: the path of the box, for errors.
  mutating func container(
    _ source: Box, at path: String, _ child: (inout MovieWriter, Box) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let buffer = movie.buffer
    try box(source.type, headerSize: source.headerSize) { (writer) throws(MP4Error) in
      var end = source.payload.lowerBound
      try buffer.forEachBox(in: source.payload, of: path) { (box) throws(MP4Error) in
        try child(&writer, box)
        end = box.end
      }
      writer.copy(end..<source.end)
    }
  }

  /// Copies a box of the source.
  mutating func copy(_ box: Box) { copy(box.range) }

  /// Copies bytes of the source.
  mutating func copy(_ range: Range<Int>) { output.append(movie.buffer.bytes[range]) }

  /// Writes a whole box that is not the source's.
  mutating func append(_ box: [UInt8]) { output.append(box) }

  // MARK: Headers and edits

  /// Writes `mvhd`, `tkhd` or `mdhd` with a new duration, in version 1 if the duration needs it.
  ///
  /// - Parameters:
  ///   - timescale: the value before the duration in `mvhd` and `mdhd`; nil for `tkhd`, which has the track's ID in its
  ///     place.
  ///   - flags: the flags that are set in addition to the existing ones.
  mutating func header(
    _ box: Box, timescale: UInt32?, duration: UInt64, flags moreFlags: UInt32 = 0, in path: String
  ) throws(MP4Error) {
    var fields = movie.buffer.fields(of: box, in: path)
    let (version, flags) = try fields.versionAndFlags()
    let creation = version == 1 ? try fields.uint64() : UInt64(try fields.uint32())
    let modification = version == 1 ? try fields.uint64() : UInt64(try fields.uint32())
    let word = try fields.uint32()
    if timescale == nil { try fields.skip(4) }
    try fields.skip(version == 1 ? 8 : 4)
    let is64Bit = version == 1 || duration >= UInt64(UInt32.max)
    let rest = movie.buffer.bytes[fields.position..<box.end]
    output.fullBox(box.type, version: is64Bit ? 1 : 0, flags: flags | moreFlags) {
      $0.uint(creation, is64Bit: is64Bit)
      $0.uint(modification, is64Bit: is64Bit)
      $0.uint32(timescale ?? word)
      if timescale == nil { $0.uint32(0) }
      $0.uint(duration, is64Bit: is64Bit)
      $0.append(rest)
    }
  }

  /// Writes an edit list (ISO/IEC 14496-12 §8.6.6) with one part of a track, after an optional empty edit.
  ///
  /// - Parameters:
  ///   - emptyDuration: the duration of the empty edit, in the movie's ticks, or 0 for none.
  ///   - duration: the duration of the shown part, in the movie's ticks.
  ///   - mediaTime: the start of the shown part, in the track's ticks.
  mutating func editList(emptyDuration: UInt64, duration: UInt64, mediaTime: Int64) {
    let empty = EditList.Edit(duration: emptyDuration, mediaTime: -1)
    let shown = EditList.Edit(duration: duration, mediaTime: mediaTime)
    editList(emptyDuration > 0 ? [empty, shown] : [shown])
  }

  /// Writes an edit list.
  mutating func editList(_ edits: [EditList.Edit]) {
    let is64Bit = edits.contains { $0.duration > UInt64(UInt32.max) || $0.mediaTime > Int64(Int32.max) }
    output.box("edts") {
      $0.fullBox("elst", version: is64Bit ? 1 : 0) {
        $0.uint32(UInt32(edits.count))
        for edit in edits {
          $0.uint(edit.duration, is64Bit: is64Bit)
          $0.uint(UInt64(bitPattern: edit.mediaTime), is64Bit: is64Bit)
          $0.uint32(0x1_0000)
        }
      }
    }
  }

  // MARK: Tracks

  /// Writes a track of the source with new times and samples. Its other boxes stay as they are.
  ///
  /// - Parameters:
  ///   - movieDuration: the duration of its presentation, in the movie's ticks.
  ///   - timescale: the number of its ticks a second, or nil for the source's.
  ///   - mediaDuration: the duration of its samples, in its own ticks.
  ///   - flags: the flags of `tkhd` that are set in addition to the existing ones.
  ///   - keeping: the types of the boxes that stay, or nil for all.
  ///   - edits: writes an edit list, or nothing.
  ///   - sampleTable: writes the content of `stbl`.
  mutating func track(
    _ track: Track, movieDuration: UInt64, timescale: UInt32? = nil, mediaDuration: UInt64, flags: UInt32 = 0,
    keeping kept: Set<FourCharacterCode>? = nil, edits: (inout MovieWriter) -> Void = { _ in },
    sampleTable: (inout MovieWriter) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let boxes = track.boxes
    let buffer = movie.buffer
    let media = "moov/trak/mdia"
    func stays(_ box: Box) -> Bool {
      guard let kept else { return true }
      return kept.contains(box.type) || SphericalVideo.isDescribed(by: box, in: buffer)
    }
    try box("trak") { (writer) throws(MP4Error) in
      for child in boxes.trackChildren where stays(child) && child.type != "edts" {
        if child == boxes.header {
          try writer.header(child, timescale: nil, duration: movieDuration, flags: flags, in: "moov/trak")
          edits(&writer)
        } else if child == boxes.media {
          try writer.box("mdia") { (writer) throws(MP4Error) in
            for child in try buffer.boxes(in: boxes.media.payload, of: media) where stays(child) {
              if child == boxes.mediaHeader {
                try writer.header(child, timescale: timescale ?? track.timescale, duration: mediaDuration, in: media)
              } else if child == boxes.mediaInformation {
                try writer.box("minf") { (writer) throws(MP4Error) in
                  for child in try buffer.boxes(in: boxes.mediaInformation.payload, of: media + "/minf")
                  where stays(child) {
                    if child == boxes.sampleTable { try writer.box("stbl", sampleTable) } else { writer.copy(child) }
                  }
                }
              } else {
                writer.copy(child)
              }
            }
          }
        } else {
          writer.copy(child)
        }
      }
    }
  }

  /// Writes an `stsd` with one of a track's entries, which becomes its first.
  ///
  /// - Parameters:
  ///   - index: the number of the entry, from 1.
  ///   - type: the type that replaces the entry's own, or nil to keep that.
  ///   - isPlain: true to write the entry in ISO's form if it is in QuickTime's.
  mutating func sampleDescription(
    _ index: UInt32, of track: Track, as type: FourCharacterCode? = nil, isPlain: Bool = false
  ) throws(MP4Error) {
    let source = track.boxes.sampleDescriptions
    let path = "moov/trak/mdia/minf/stbl/stsd"
    let buffer = movie.buffer
    let entries = try buffer.boxes(in: (source.payload.lowerBound + 8)..<source.end, of: path)
    guard index >= 1, Int(index) <= entries.count else {
      throw .malformed(buffer.place(of: source, in: path), "has no entry \(index)")
    }
    if isPlain, track.handler == "soun",
      let plain = PlainSoundEntry(
        entries[Int(index) - 1], in: buffer, descriptionVersion: buffer.bytes[source.payload.lowerBound])
    {
      return plain.write(into: &output)
    }
    try box("stsd") { (writer) throws(MP4Error) in
      // The version of `stsd` determines how sound is described.
      writer.copy(source.payload.lowerBound..<(source.payload.lowerBound + 4))
      writer.output.uint32(1)
      let entry = entries[Int(index) - 1]
      let position = writer.bytes.count
      if isPlain {
        writer.output.box(entry.type) {
          $0.append(buffer.bytes[SampleEntry.withoutTerminator(entry, of: track.handler, in: buffer)])
        }
      } else {
        writer.copy(entry)
      }
      if let type { writer.output.replace(at: position + 4, bigEndian: type.rawValue) }
    }
  }

  // MARK: Sample tables

  /// Writes a table of entries of equal size after their count.
  mutating func table(_ type: FourCharacterCode, version: UInt8 = 0, _ entries: [UInt8], entrySize: Int) {
    output.fullBox(type, version: version) {
      $0.uint32(UInt32(entries.count / entrySize))
      $0.append(entries)
    }
  }

  /// Writes `stts` to `stco` or `co64`. Chunk offsets are relative to the start of the media until `moveChunkOffsets`
  /// changes them.
  ///
  /// - Parameter mediaLength: the length of the media in bytes. No chunk with bytes lies beyond it.
  mutating func tables(_ samples: SampleTableBuilder, mediaLength: UInt64, is64Bit: Bool) {
    table("stts", samples.durations.entries, entrySize: 8)
    if samples.hasCompositionOffsets {
      table("ctts", version: samples.hasNegativeOffsets ? 1 : 0, samples.compositionOffsets.entries, entrySize: 8)
    }
    if samples.hasOtherThanSync { table("stss", samples.syncSamples, entrySize: 4) }
    table("stsc", samples.sampleToChunk, entrySize: 12)
    output.fullBox("stsz") {
      // A common size of 0 would mean that each sample has its own size.
      let isCommon = samples.sizes.isEmpty && samples.commonSize > 0
      $0.uint32(isCommon ? samples.commonSize : 0)
      $0.uint32(UInt32(samples.sampleCount))
      if !isCommon {
        $0.append(samples.sizes.isEmpty ? [UInt8](repeating: 0, count: 4 * samples.sampleCount) : samples.sizes)
      }
    }
    var position = 0
    output.fullBox(is64Bit ? "co64" : "stco") {
      $0.uint32(UInt32(samples.chunkOffsets.count))
      position = $0.bytes.count
      // Only a chunk without bytes can lie beyond the end. Its offset is clamped so that no offset exceeds its bits.
      for offset in samples.chunkOffsets { $0.uint(min(offset, mediaLength), is64Bit: is64Bit) }
    }
    offsetTables.append(OffsetTable(position: position, count: samples.chunkOffsets.count, is64Bit: is64Bit))
  }

  /// Writes a table of the source's file offsets, with the new positions of the data.
  ///
  /// - Parameters:
  ///   - becomes64Bit: true to write an `stco` as `co64`.
  ///   - forEachOffset: passes every new offset to its argument, in the order of the table.
  mutating func offsets(
    _ source: Box, entries: EntryTable, is64Bit: Bool, becomes64Bit: Bool,
    _ forEachOffset: ((UInt64) -> Void) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    try box(becomes64Bit ? "co64" : source.type, headerSize: source.headerSize) { (writer) throws(MP4Error) in
      writer.copy(source.payload.lowerBound..<entries.position)
      try forEachOffset { writer.output.uint($0, is64Bit: is64Bit || becomes64Bit) }
      writer.copy((entries.position + entries.count * (is64Bit ? 8 : 4))..<source.end)
    }
  }

  /// Writes an `stsc` with one sample in every chunk.
  mutating func singleSampleChunks(of descriptionIndex: UInt32) {
    output.fullBox("stsc") { for value in [1, 1, 1, descriptionIndex] { $0.uint32(value) } }
  }

  /// Writes an `stco` or `co64`.
  ///
  /// - Parameter forEachOffset: passes `count` offsets to its argument, relative to the first byte that is served.
  mutating func chunkOffsets(
    count: Int, is64Bit: Bool, _ forEachOffset: ((UInt64) -> Void) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    try box(is64Bit ? "co64" : "stco") { (writer) throws(MP4Error) in
      writer.output.uint32(0)
      writer.output.uint32(UInt32(count))
      try forEachOffset { writer.output.uint($0, is64Bit: is64Bit) }
    }
  }

  // MARK: Fragments

  /// Writes an `mvex` whose `trex` boxes contain no defaults other than the track IDs (ISO/IEC 14496-12 §8.8.1,
  /// §8.8.3).
  mutating func fragmentDefaults(of trackIDs: [UInt32]) {
    output.box("mvex") {
      for id in trackIDs {
        $0.fullBox("trex") {
          $0.uint32(id)
          $0.uint32(1)
          for _ in 0..<3 { $0.uint32(0) }
        }
      }
    }
  }

  // MARK: Media

  /// Writes the header of an `mdat` around media of this length. The media follows.
  mutating func mediaHeader(mediaLength: UInt64, is64Bit: Bool) {
    output.uint32(is64Bit ? 1 : UInt32(truncatingIfNeeded: mediaLength + 8))
    output.uint32(("mdat" as FourCharacterCode).rawValue)
    if is64Bit { output.uint64(mediaLength + 16) }
  }

  /// Changes chunk offsets from the start of the media into offsets from the first byte that is served.
  ///
  /// No offset exceeds the media's length. The offsets' width was chosen so that the media's length plus `length` fits.
  ///
  /// - Parameter length: the length of the bytes before the media.
  mutating func moveChunkOffsets(by length: UInt64) {
    for table in offsetTables {
      let width = table.is64Bit ? 8 : 4
      for position in stride(from: table.position, to: table.position + width * table.count, by: width) {
        if table.is64Bit {
          output.replace(at: position, bigEndian: output.bytes.borrowedSpan.uint64(at: position) + length)
        } else {
          output.replace(at: position, bigEndian: output.bytes.borrowedSpan.uint32(at: position) + UInt32(length))
        }
      }
    }
    offsetTables = []
  }
}
