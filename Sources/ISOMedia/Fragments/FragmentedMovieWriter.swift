/// Writes the `moov` of a fragmented recording as if it had never been fragmented.
///
/// Everything but times, edit lists and sample tables is taken over from the recorder's `moov`.
struct FragmentedMovieWriter {
  private let movie: Movie
  private let tracks: [FragmentedTrack]
  private let timeline: FragmentTimeline
  private let is64Bit: Bool
  /// In bytes; no chunk lies beyond it.
  private let bodyLength: UInt64
  private var writer = BoxWriter()
  /// Where chunk offsets were written, counted from the start of the body.
  private var offsetTables: [Int] = []

  /// The `moov` and the header of the `mdat` around the body, which follow the file type box.
  static func head(
    fileType: [UInt8], movie: Movie, tracks: [FragmentedTrack], timeline: FragmentTimeline, bodyLength: UInt64
  ) throws(MP4Error) -> [UInt8] {
    var writer = FragmentedMovieWriter(
      movie, tracks: tracks, timeline: timeline, bodyLength: bodyLength, is64Bit: false)
    try writer.write()
    let mediaHeader: UInt64 = 16
    if UInt64(fileType.count + writer.writer.bytes.count) + mediaHeader + bodyLength > UInt64(UInt32.max) {
      writer = FragmentedMovieWriter(
        movie, tracks: tracks, timeline: timeline, bodyLength: bodyLength, is64Bit: true)
      try writer.write()
    }
    let length = UInt64(fileType.count + writer.writer.bytes.count) + mediaHeader
    writer.moveOffsets(by: length)
    var head = fileType
    head.reserveCapacity(Int(length))
    head += writer.writer.bytes
    head.append(bigEndian: UInt32(1))
    head.append(bigEndian: ("mdat" as FourCharacterCode).rawValue)
    head.append(bigEndian: mediaHeader + bodyLength)
    return head
  }

  private init(
    _ movie: Movie, tracks: [FragmentedTrack], timeline: FragmentTimeline, bodyLength: UInt64, is64Bit: Bool
  ) {
    self.movie = movie
    self.tracks = tracks
    self.timeline = timeline
    self.bodyLength = bodyLength
    self.is64Bit = is64Bit
  }

  private mutating func write() throws(MP4Error) {
    let duration = timeline.presentations.map(\.duration).max() ?? 0
    try box("moov") { (output) throws(MP4Error) in
      for child in output.movie.children {
        switch child.type {
        case "mvhd":
          try output.header(child, timescaleBefore: output.timeline.movieTimescale, duration: duration, in: "moov")
        case "mvex": break
        case "trak":
          if let index = output.movie.tracks.firstIndex(where: { $0.boxes.track == child }) { try output.track(index) }
        default: output.copy(child)
        }
      }
    }
  }

  private mutating func box(
    _ type: FourCharacterCode, _ content: (inout Self) throws(MP4Error) -> Void
  ) throws(MP4Error) {
    let start = writer.bytes.count
    writer.uint32(0)
    writer.uint32(type.rawValue)
    try content(&self)
    writer.replace(at: start, bigEndian: UInt32(truncatingIfNeeded: writer.bytes.count - start))
  }

  private mutating func copy(_ box: Box) { writer.append(movie.buffer.bytes[box.range]) }

  /// `mvhd`, `tkhd` or `mdhd` with another duration, in version 1 where that needs it.
  ///
  /// - Parameters:
  ///   - timescaleBefore: stands before the duration in `mvhd` and `mdhd`; nil for `tkhd`, which has the track's ID.
  private mutating func header(
    _ box: Box, timescaleBefore: UInt32?, duration: UInt64, in path: String
  ) throws(MP4Error) {
    var fields = movie.buffer.fields(of: box, in: path)
    let (version, flags) = try fields.versionAndFlags()
    let creation = version == 1 ? try fields.uint64() : UInt64(try fields.uint32())
    let modification = version == 1 ? try fields.uint64() : UInt64(try fields.uint32())
    let timescale = try fields.uint32()
    if timescaleBefore == nil { try fields.skip(4) }
    try fields.skip(version == 1 ? 8 : 4)
    let is64Bit = version == 1 || duration >= UInt64(UInt32.max)
    writer.fullBox(box.type, version: is64Bit ? 1 : 0, flags: flags) {
      $0.uint(creation, is64Bit: is64Bit)
      $0.uint(modification, is64Bit: is64Bit)
      $0.uint32(timescaleBefore ?? timescale)
      if timescaleBefore == nil { $0.uint32(0) }
      $0.uint(duration, is64Bit: is64Bit)
      $0.append(movie.buffer.bytes[fields.position..<box.end])
    }
  }

  private mutating func track(_ index: Int) throws(MP4Error) {
    let boxes = movie.tracks[index].boxes
    let presentation = timeline.presentations[index]
    try box("trak") { (output) throws(MP4Error) in
      for child in boxes.trackChildren {
        switch child {
        case boxes.header:
          try output.header(child, timescaleBefore: nil, duration: presentation.duration, in: "moov/trak")
          if presentation.needsEditList { output.editList(presentation) }
        case boxes.media: try output.media(index)
        default: if child.type != "edts" { output.copy(child) }
        }
      }
    }
  }

  /// ISO/IEC 14496-12 §8.6.6.
  private mutating func editList(_ presentation: FragmentTimeline.Presentation) {
    let is64Bit =
      max(presentation.emptyDuration, presentation.mediaDuration) > UInt64(UInt32.max)
      || presentation.mediaTime > Int64(Int32.max)
    writer.box("edts") {
      $0.fullBox("elst", version: is64Bit ? 1 : 0) {
        $0.uint32(presentation.emptyDuration > 0 ? 2 : 1)
        if presentation.emptyDuration > 0 {
          $0.uint(presentation.emptyDuration, is64Bit: is64Bit)
          $0.uint(.max, is64Bit: is64Bit)
          $0.uint32(0x1_0000)
        }
        $0.uint(presentation.mediaDuration, is64Bit: is64Bit)
        $0.uint(UInt64(presentation.mediaTime), is64Bit: is64Bit)
        $0.uint32(0x1_0000)
      }
    }
  }

  private mutating func media(_ index: Int) throws(MP4Error) {
    let track = movie.tracks[index]
    let path = "moov/trak/mdia"
    let duration = UInt64(max(0, tracks[index].decodingDuration))
    try box("mdia") { (output) throws(MP4Error) in
      for child in try output.movie.buffer.boxes(in: track.boxes.media.payload, of: path) {
        switch child {
        case track.boxes.mediaHeader:
          try output.header(child, timescaleBefore: track.timescale, duration: duration, in: path)
        case track.boxes.mediaInformation:
          try output.box("minf") { (output) throws(MP4Error) in
            for child in try output.movie.buffer.boxes(in: track.boxes.mediaInformation.payload, of: path + "/minf") {
              if child == track.boxes.sampleTable { try output.sampleTable(index) } else { output.copy(child) }
            }
          }
        default: output.copy(child)
        }
      }
    }
  }

  /// ISO/IEC 14496-12 §8.5 to §8.7.
  private mutating func sampleTable(_ index: Int) throws(MP4Error) {
    let track = tracks[index]
    try box("stbl") { (output) throws(MP4Error) in
      output.copy(output.movie.tracks[index].boxes.sampleDescriptions)
      output.table("stts", track.durations.entries, entrySize: 8)
      if track.hasCompositionOffsets {
        output.table(
          "ctts", version: track.hasNegativeOffsets ? 1 : 0, track.compositionOffsets.entries, entrySize: 8)
      }
      if track.hasOtherThanSync { output.table("stss", track.syncSamples, entrySize: 4) }
      output.table("stsc", track.sampleToChunk, entrySize: 12)
      output.writer.fullBox("stsz") {
        // A size of 0 for all would be read as: each has its own.
        let isCommon = track.sizes.isEmpty && track.commonSize > 0
        $0.uint32(isCommon ? track.commonSize : 0)
        $0.uint32(UInt32(track.sampleCount))
        if !isCommon {
          $0.append(track.sizes.isEmpty ? [UInt8](repeating: 0, count: 4 * track.sampleCount) : track.sizes)
        }
      }
      let start = output.writer.bytes.count
      let is64Bit = output.is64Bit
      let bodyLength = output.bodyLength
      output.writer.fullBox(is64Bit ? "co64" : "stco") {
        $0.uint32(UInt32(track.chunkOffsets.count))
        // Only a chunk without bytes can lie beyond the end: clamped, so that no offset outgrows its bits below.
        for offset in track.chunkOffsets { $0.uint(min(offset, bodyLength), is64Bit: is64Bit) }
      }
      output.offsetTables.append(start)
    }
  }

  private mutating func table(_ type: FourCharacterCode, version: UInt8 = 0, _ entries: [UInt8], entrySize: Int) {
    writer.fullBox(type, version: version) {
      $0.uint32(UInt32(entries.count / entrySize))
      $0.append(entries)
    }
  }

  /// Makes offsets from the start of the body into offsets from the start of what is served.
  ///
  /// None is beyond the body's length, which with `length` fits into the offsets' bits: that is how they were chosen.
  private mutating func moveOffsets(by length: UInt64) {
    let width = is64Bit ? 8 : 4
    for start in offsetTables {
      let count = Int(writer.bytes.span.uint32(at: start + 12))
      for position in stride(from: start + 16, to: start + 16 + width * count, by: width) {
        if is64Bit {
          writer.replace(at: position, bigEndian: writer.bytes.span.uint64(at: position) + length)
        } else {
          writer.replace(at: position, bigEndian: writer.bytes.span.uint32(at: position) + UInt32(length))
        }
      }
    }
  }
}
