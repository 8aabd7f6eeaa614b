internal import FootageBase

/// A builder of the preamble for a progressive file: `moov` first, with adjusted chunk offsets.
///
/// ISO/IEC 14496-12 §8.7.5. Each offset is shifted with the box that contains its data. If `moov` was in the middle of
/// the file, there are two different shifts. A long preamble is made shorter by dividing sound into different chunks.
struct Faststart {
  private let movie: Movie
  private let layout: ServedLayout
  /// The tables of the remaining tracks, in file order.
  private var tables: [OffsetTable] = []

  /// A table of file offsets in `moov`.
  private struct OffsetTable {
    let track: Int?
    let box: Box
    let entries: EntryTable
    let is64Bit: Bool
    let place: BoxPlace
    /// The largest of the new offsets, which are relative to the end of the preamble.
    var maximum: UInt64 = 0
    var becomes64Bit = false
    /// The chunks that replace the recorder's, or nil to keep those.
    var split: SingleSampleChunks?

    /// The number of bytes by which the track's chunk tables grow. It is negative if they shrink.
    var growth: Int {
      guard let split else { return becomes64Bit ? 4 * entries.count : 0 }
      return split.size(is64Bit: is64Bit || becomes64Bit) - box.range.count - split.sampleToChunk.range.count
    }
  }

  private static let stbl = "moov/trak/mdia/minf/stbl"

  /// - Throws: `samplesOutside` or `absoluteOffsets`. See `checkSamples`.
  init(_ movie: Movie, layout: ServedLayout) throws(MP4Error) {
    self.movie = movie
    self.layout = layout
    for (index, track) in movie.tracks.enumerated() {
      let offsets = track.samples.chunkOffsets
      tables.append(
        OffsetTable(
          track: index, box: offsets.box, entries: offsets.entries, is64Bit: offsets.is64Bit,
          place: movie.buffer.place(of: offsets.box, in: Self.stbl)))
      for box in track.boxes.sampleTableChildren where box.type == "saio" {
        tables.append(try Self.auxiliaryOffsets(box, in: movie.buffer))
      }
      try MetaBox.refuseFileOffsets(among: track.boxes.trackChildren, of: movie.buffer, at: "moov/trak")
    }
    try MetaBox.refuseFileOffsets(among: movie.children, of: movie.buffer, at: "moov")
    tables.sort { $0.box.start < $1.box.start }
    for index in tables.indices { tables[index].maximum = try maximum(of: tables[index]) }
  }

  /// Reads `saio` (ISO/IEC 14496-12 §8.7.9): the positions of the samples' encryption data.
  private static func auxiliaryOffsets(_ box: Box, in buffer: BoxBuffer) throws(MP4Error) -> OffsetTable {
    var fields = buffer.fields(of: box, in: stbl)
    let (version, flags) = try fields.versionAndFlags()
    if flags & 1 == 1 { try fields.skip(8) }
    let count = try fields.uint32()
    let is64Bit = version == 1
    let entries = try fields.table(count: count, entrySize: is64Bit ? 8 : 4)
    return OffsetTable(
      track: nil, box: box, entries: entries, is64Bit: is64Bit, place: buffer.place(of: box, in: stbl))
  }

  /// Calls `body` with each of the table's new offsets, counted from the end of the preamble.
  @inline(__always)
  private func forEachOffset(
    of table: OffsetTable, _ body: (UInt64) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let raw = movie.buffer.bytes.borrowedSpan
    var hint = 0
    if let split = table.split {
      return try split.forEachOffset(in: movie.buffer) { (offset, chunk) throws(MP4Error) in
        // The fallback is for a chunk without bytes, which may point anywhere, as below.
        try body(layout.box(holding: chunk, hint: &hint)?.bodyOffset(of: offset) ?? min(offset, layout.bodyLength))
      }
    }
    for index in 0..<table.entries.count {
      let offset =
        table.is64Bit
        ? raw.uint64(at: table.entries.position + 8 * index)
        : UInt64(raw.uint32(at: table.entries.position + 4 * index))
      if let box = layout.box(holding: offset..<offset, hint: &hint) {
        try body(box.bodyOffset(of: offset))
      } else if table.track == nil {
        throw .absoluteOffsets(table.place)
      } else {
        // This is a chunk without bytes or without samples. It may point anywhere, but the offset must stay within the
        // file.
        try body(min(offset, layout.bodyLength))
      }
    }
  }

  private func maximum(of table: OffsetTable) throws(MP4Error) -> UInt64 {
    var maximum: UInt64 = 0
    try forEachOffset(of: table) { (offset) throws(MP4Error) in maximum = max(maximum, offset) }
    return maximum
  }

  /// Returns the bytes to serve before the recorder's.
  ///
  /// - Parameter fileType: the whole `ftyp`, or empty.
  mutating func preamble(fileType: [UInt8]) throws(MP4Error) -> [UInt8] {
    let removed = movie.brokenTracks.reduce(0) { $0 + $1.range.count }
    let base = fileType.count + movie.buffer.bytes.count - removed
    var length = try settleWidths(from: base)
    if length > Limits.unquestionedPreamble, try splitSound() { length = try settleWidths(from: base) }
    var writer = MovieWriter(movie, after: fileType, capacity: length)
    let mediaStart = UInt64(length)
    try writer.container(movie.buffer.root, at: "moov") { (writer, child) throws(MP4Error) in
      if movie.brokenTracks.contains(child) { return }
      guard let track = movie.tracks.first(where: { $0.boxes.track == child }) else { return writer.copy(child) }
      try write(track, with: &writer, mediaStart: mediaStart)
    }
    return writer.bytes
  }

  /// Selects one sample per chunk for each sound track whose tables become shorter by that.
  ///
  /// - Returns: true if any table gets shorter.
  private mutating func splitSound() throws(MP4Error) -> Bool {
    var isShorter = false
    for index in tables.indices {
      guard let track = tables[index].track, case let growth = tables[index].growth else { continue }
      tables[index].split = try SingleSampleChunks(movie.tracks[track], in: movie.buffer)
      if tables[index].growth < growth {
        isShorter = true
        tables[index].maximum = try maximum(of: tables[index])
      } else {
        tables[index].split = nil
      }
    }
    return isShorter
  }

  /// Determines which tables need 64 bits.
  ///
  /// - Parameter base: the length of the preamble with the recorder's tables, in bytes.
  /// - Returns: the length of the preamble, in bytes.
  private mutating func settleWidths(from base: Int) throws(MP4Error) -> Int {
    for index in tables.indices { tables[index].becomes64Bit = false }
    var length = tables.reduce(base) { $0 + $1.growth }
    // A table that grows moves all data, which may push another table over 4 GiB. There is at most one round per table.
    var isSettled = false
    while !isSettled {
      isSettled = true
      for index in tables.indices where !tables[index].is64Bit && !tables[index].becomes64Bit {
        guard tables[index].entries.count > 0, UInt64(length) + tables[index].maximum > UInt64(UInt32.max) else {
          continue
        }
        guard tables[index].track != nil else { throw .absoluteOffsets(tables[index].place) }
        length -= tables[index].growth
        tables[index].becomes64Bit = true
        length += tables[index].growth
        isSettled = false
      }
    }
    return length
  }

  /// Writes a track with new offsets and without any other change.
  private func write(_ track: Track, with writer: inout MovieWriter, mediaStart: UInt64) throws(MP4Error) {
    let boxes = track.boxes
    let ancestors: [(box: Box, path: String)] = [
      (boxes.track, "moov/trak"), (boxes.media, "moov/trak/mdia"), (boxes.mediaInformation, "moov/trak/mdia/minf"),
      (boxes.sampleTable, Self.stbl),
    ]
    func write(_ depth: Int, _ writer: inout MovieWriter) throws(MP4Error) {
      try writer.container(ancestors[depth].box, at: ancestors[depth].path) { (writer, child) throws(MP4Error) in
        if depth + 1 < ancestors.count {
          if child == ancestors[depth + 1].box { try write(depth + 1, &writer) } else { writer.copy(child) }
        } else if let table = tables.first(where: { $0.box == child }) {
          try self.write(table, with: &writer, mediaStart: mediaStart)
        } else if let split = tables.lazy.compactMap(\.split).first(where: { $0.sampleToChunk == child }) {
          writer.singleSampleChunks(of: split.descriptionIndex)
        } else {
          writer.copy(child)
        }
      }
    }
    try write(0, &writer)
  }

  private func write(_ table: OffsetTable, with writer: inout MovieWriter, mediaStart: UInt64) throws(MP4Error) {
    if let split = table.split {
      return try writer.chunkOffsets(count: split.samples.count, is64Bit: table.is64Bit || table.becomes64Bit) {
        (append) throws(MP4Error) in
        try forEachOffset(of: table) { (offset) throws(MP4Error) in append(mediaStart + offset) }
      }
    }
    try writer.offsets(
      table.box, entries: table.entries, is64Bit: table.is64Bit, becomes64Bit: table.becomes64Bit
    ) { (append) throws(MP4Error) in
      try forEachOffset(of: table) { (offset) throws(MP4Error) in append(mediaStart + offset) }
    }
  }
}
