/// The head that a progressive file should have had: `moov` first, its chunk offsets moved.
///
/// ISO/IEC 14496-12 §8.7.5. Each offset moves by as much as the box that holds its data does: a `moov` from the
/// middle of a file makes for two different shifts.
struct Faststart {
  private let movie: Movie
  private let layout: ServedLayout
  /// Of the tracks that stay, in file order.
  private var tables: [OffsetTable] = []

  /// A table of file offsets in `moov`.
  private struct OffsetTable {
    let track: Int?
    let box: Box
    let entries: EntryTable
    let is64Bit: Bool
    /// Its ancestors below `moov`.
    let ancestors: [Box]
    let place: BoxPlace
    /// The largest new offset, from the end of the head.
    var maximum: UInt64 = 0
    var becomes64Bit = false

    /// In bytes, that the box grows by.
    var growth: Int { becomes64Bit ? 4 * entries.count : 0 }
  }

  private static let stbl = "moov/trak/mdia/minf/stbl"

  /// - Throws: `samplesOutside`, `absoluteOffsets`; see `checkSamples`.
  init(_ movie: Movie, layout: ServedLayout) throws(MP4Error) {
    self.movie = movie
    self.layout = layout
    for (index, track) in movie.tracks.enumerated() {
      let boxes = track.boxes
      let ancestors = [boxes.track, boxes.media, boxes.mediaInformation, boxes.sampleTable]
      let offsets = track.samples.chunkOffsets
      tables.append(
        OffsetTable(
          track: index, box: offsets.box, entries: offsets.entries, is64Bit: offsets.is64Bit, ancestors: ancestors,
          place: movie.buffer.place(of: offsets.box, in: Self.stbl)))
      for box in boxes.sampleTableChildren where box.type == "saio" {
        tables.append(try Self.auxiliaryOffsets(box, ancestors: ancestors, in: movie.buffer))
      }
      try MetaBox.refuseFileOffsets(among: boxes.trackChildren, of: movie.buffer, at: "moov/trak")
    }
    try MetaBox.refuseFileOffsets(among: movie.children, of: movie.buffer, at: "moov")
    tables.sort { $0.box.start < $1.box.start }
    for index in tables.indices { tables[index].maximum = try maximum(of: tables[index]) }
  }

  /// `saio` (ISO/IEC 14496-12 §8.7.9): where the samples' encryption data lies.
  private static func auxiliaryOffsets(
    _ box: Box, ancestors: [Box], in buffer: BoxBuffer
  ) throws(MP4Error) -> OffsetTable {
    var fields = buffer.fields(of: box, in: stbl)
    let (version, flags) = try fields.versionAndFlags()
    if flags & 1 == 1 { try fields.skip(8) }
    let count = try fields.uint32()
    let is64Bit = version == 1
    let entries = try fields.table(count: count, entrySize: is64Bit ? 8 : 4)
    return OffsetTable(
      track: nil, box: box, entries: entries, is64Bit: is64Bit, ancestors: ancestors,
      place: buffer.place(of: box, in: stbl))
  }

  /// Every offset of the table where it will lie, from the end of the head.
  @inline(__always)
  private func forEachOffset(
    of table: OffsetTable, _ body: (Int, UInt64) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let raw = movie.buffer.bytes.span
    var hint = 0
    for index in 0..<table.entries.count {
      let offset =
        table.is64Bit
        ? raw.uint64(at: table.entries.position + 8 * index)
        : UInt64(raw.uint32(at: table.entries.position + 4 * index))
      if let box = layout.box(holding: offset..<offset, hint: &hint) {
        try body(index, box.bodyOffset(of: offset))
      } else if table.track == nil {
        throw .absoluteOffsets(table.place)
      } else {
        // Of a chunk without bytes, or which has no samples at all: it may point anywhere as long as it stays in the file.
        try body(index, min(offset, layout.bodyLength))
      }
    }
  }

  private func maximum(of table: OffsetTable) throws(MP4Error) -> UInt64 {
    var maximum: UInt64 = 0
    try forEachOffset(of: table) { (_, offset) throws(MP4Error) in maximum = max(maximum, offset) }
    return maximum
  }

  /// The bytes to serve before the body.
  ///
  /// - Parameter fileType: all of `ftyp`, or empty.
  mutating func head(fileType: [UInt8]) throws(MP4Error) -> [UInt8] {
    let removed = movie.brokenTracks.reduce(0) { $0 + $1.range.count }
    let base = fileType.count + movie.buffer.bytes.count - removed
    // A table that grows moves all data further, which may push another table over 4 GiB: at most one round a table.
    var length = base
    var isSettled = false
    while !isSettled {
      isSettled = true
      for index in tables.indices where !tables[index].is64Bit && !tables[index].becomes64Bit {
        guard tables[index].entries.count > 0, UInt64(length) + tables[index].maximum > UInt64(UInt32.max) else {
          continue
        }
        guard tables[index].track != nil else { throw .absoluteOffsets(tables[index].place) }
        tables[index].becomes64Bit = true
        length += tables[index].growth
        isSettled = false
      }
    }
    var head = fileType
    head.reserveCapacity(length)
    try appendMovie(to: &head, headLength: UInt64(length))
    return head
  }

  /// What is cut out of, or changed in, the bytes of `moov`.
  private enum Edit {
    case remove(Box)
    case offsets(OffsetTable)

    var box: Box {
      switch self {
      case .remove(let box): box
      case .offsets(let table): table.box
      }
    }
  }

  private func appendMovie(to head: inout [UInt8], headLength: UInt64) throws(MP4Error) {
    let source = movie.buffer.bytes
    let start = head.count
    var edits = movie.brokenTracks.map { Edit.remove($0) } + tables.map { Edit.offsets($0) }
    edits.sort { $0.box.start < $1.box.start }
    // How much longer each ancestor becomes, by its place in the source; and where it comes to lie.
    var growth: [Box: Int] = [:]
    var copied = 0
    func copy(upTo end: Int, _ head: inout [UInt8]) {
      head.append(contentsOf: source[copied..<end])
      copied = end
    }
    var shifts: [(from: Int, by: Int)] = []
    for edit in edits {
      switch edit {
      case .remove(let box):
        copy(upTo: box.start, &head)
        copied = box.end
        growth[movie.buffer.root, default: 0] -= box.range.count
        shifts.append((box.end, -box.range.count))
      case .offsets(let table):
        copy(upTo: table.entries.position, &head)
        let is64Bit = table.is64Bit || table.becomes64Bit
        try forEachOffset(of: table) { (_, offset) throws(MP4Error) in
          if is64Bit {
            head.append(bigEndian: headLength + offset)
          } else {
            head.append(bigEndian: UInt32(truncatingIfNeeded: headLength + offset))
          }
        }
        copied = table.entries.position + table.entries.count * (table.is64Bit ? 8 : 4)
        guard table.becomes64Bit else { continue }
        for box in [movie.buffer.root, table.box] + table.ancestors { growth[box, default: 0] += table.growth }
        shifts.append((copied, table.growth))
      }
    }
    copy(upTo: source.count, &head)

    growth[movie.buffer.root, default: 0] += 0
    for (box, growth) in growth {
      let position = start + box.start + shifts.reduce(0) { $0 + ($1.from <= box.start ? $1.by : 0) }
      let size = UInt64(box.range.count + growth)
      if box.headerSize == 16 {
        head.replace(at: position, bigEndian: UInt32(1))
        head.replace(at: position + 8, bigEndian: size)
      } else {
        head.replace(at: position, bigEndian: UInt32(truncatingIfNeeded: size))
      }
    }
    for table in tables where table.becomes64Bit {
      let position = start + table.box.start + shifts.reduce(0) { $0 + ($1.from <= table.box.start ? $1.by : 0) }
      head.replace(at: position + 4, bigEndian: ("co64" as FourCharacterCode).rawValue)
    }
  }
}
